import { catalog } from '../../platform/pages/catalog.ts';

export const drawingTexts = catalog({
  en: { as_table: 'As a table', day: 'Day', number: 'Number', place: 'Place', what: 'What' },
  fr: {
    as_table: 'Sous forme de tableau',
    day: 'Jour',
    number: 'Nombre',
    place: 'Lieu',
    what: 'Quoi',
  },
  es: { as_table: 'En forma de tabla', day: 'Día', number: 'Número', place: 'Lugar', what: 'Qué' },
  de: { as_table: 'Als Tabelle', day: 'Tag', number: 'Anzahl', place: 'Ort', what: 'Was' },
  ar: { as_table: 'في جدول', day: 'اليوم', number: 'العدد', place: 'المكان', what: 'البند' },
});
