export { barChart, growthChart } from './charts.ts';
export { areaName, placesMap } from './maps.ts';
