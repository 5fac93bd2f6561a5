export { barChart, growthChart } from './svg-charts.ts';
export { areaName, placesMap } from './maps.ts';
