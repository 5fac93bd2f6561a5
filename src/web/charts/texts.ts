import { catalog } from '../../platform/pages/catalog.ts';

export const chartTexts = catalog({
  en: {
    as_table: 'As a table',
    day: 'Day',
    number: 'Number',
    place: 'Place',
    area: '{area}, {country}',
    number_of: '{what}: {count}',
  },
  fr: {
    as_table: 'En tableau',
    day: 'Jour',
    number: 'Nombre',
    place: 'Lieu',
    area: '{area}, {country}',
    number_of: '{what} : {count}',
  },
  es: {
    as_table: 'Como tabla',
    day: 'Día',
    number: 'Cantidad',
    place: 'Lugar',
    area: '{area}, {country}',
    number_of: '{what}: {count}',
  },
  de: {
    as_table: 'Als Tabelle',
    day: 'Tag',
    number: 'Anzahl',
    place: 'Ort',
    area: '{area}, {country}',
    number_of: '{what}: {count}',
  },
  ar: {
    as_table: 'في جدول',
    day: 'اليوم',
    number: 'العدد',
    place: 'المكان',
    // Begins as the page runs, whatever the first name is written in.
    area: '\u200f{area}، {country}',
    number_of: '{what}: {count}',
  },
});
