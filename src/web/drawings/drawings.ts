export { barChart, growthChart } from './charts.ts';
export { placesMap } from './maps.ts';
