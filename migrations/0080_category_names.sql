-- Names of categories in other languages than English, whose name is in `name`. Categories are few and the table does not
-- grow: the column has a constant default, and the update touches 12 rows. Old processes write rows without names.
alter table categories add column names jsonb not null default '{}' check (jsonb_typeof(names) = 'object');

-- Only the categories of a new database: those that administrators renamed mean something else.
update categories c set names = n.names::jsonb
from (values
  ('animals', 'Animals', '{"de": "Tiere", "fr": "Animaux", "es": "Animales", "ar": "الحيوانات"}'),
  ('arts-and-culture', 'Arts and culture', '{"de": "Kunst und Kultur", "fr": "Arts et culture", "es": "Arte y cultura", "ar": "الفنون والثقافة"}'),
  ('consumer-rights', 'Consumer rights', '{"de": "Verbraucherschutz", "fr": "Droits des consommateurs", "es": "Derechos de los consumidores", "ar": "حقوق المستهلك"}'),
  ('criminal-justice', 'Criminal justice', '{"de": "Strafjustiz", "fr": "Justice pénale", "es": "Justicia penal", "ar": "العدالة الجنائية"}'),
  ('economy-and-work', 'Economy and work', '{"de": "Wirtschaft und Arbeit", "fr": "Économie et travail", "es": "Economía y trabajo", "ar": "الاقتصاد والعمل"}'),
  ('education', 'Education', '{"de": "Bildung", "fr": "Éducation", "es": "Educación", "ar": "التعليم"}'),
  ('environment', 'Environment', '{"de": "Umwelt", "fr": "Environnement", "es": "Medio ambiente", "ar": "البيئة"}'),
  ('food-and-farming', 'Food and farming', '{"de": "Ernährung und Landwirtschaft", "fr": "Alimentation et agriculture", "es": "Alimentación y agricultura", "ar": "الغذاء والزراعة"}'),
  ('health', 'Health', '{"de": "Gesundheit", "fr": "Santé", "es": "Salud", "ar": "الصحة"}'),
  ('human-rights', 'Human rights', '{"de": "Menschenrechte", "fr": "Droits humains", "es": "Derechos humanos", "ar": "حقوق الإنسان"}'),
  ('politics-and-government', 'Politics and government', '{"de": "Politik und Regierung", "fr": "Politique et gouvernement", "es": "Política y gobierno", "ar": "السياسة والحكومة"}'),
  ('transport-and-cities', 'Transport and cities', '{"de": "Verkehr und Städte", "fr": "Transports et villes", "es": "Transporte y ciudades", "ar": "النقل والمدن"}')
) as n (slug, name, names)
where c.slug = n.slug and c.name = n.name;
