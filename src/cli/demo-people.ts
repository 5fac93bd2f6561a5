import { slugify } from '../platform/slug.ts';

/** A fictional person with a login in the demo world. */
export interface DemoPerson {
  name: string;
  /** City and country code, shown next to a signature. */
  place: string;
  bio?: string;
  /** Whether the address is confirmed. */
  verified?: true;
  role?: 'moderator' | 'admin';
}

/** The password of all people in the demo world. */
export const demoPassword = 'demo demo demo';

/** The mail address of a person, in a domain reserved for examples (RFC 2606). */
export const emailOf = (person: Pick<DemoPerson, 'name'>) =>
  `${slugify(person.name, 'user').replaceAll('-', '.')}@demo.example`;

export const people: DemoPerson[] = [
  {
    name: 'Robin Aldersey',
    place: 'Leeds, GB',
    bio: 'Keeps this demo in order. Ask me where things are.',
    verified: true,
    role: 'admin',
  },
  {
    name: 'Sam Kettleborough',
    place: 'Cardiff, GB',
    bio: 'Reads reports, drinks tea, answers within the day.',
    verified: true,
    role: 'moderator',
  },
  {
    name: 'Inês Carvalhal',
    place: 'Porto, PT',
    bio: 'Night-shift nurse and tram enthusiast. I count buses that do not come.',
    verified: true,
  },
  {
    name: 'Tomasz Wierzbicki',
    place: 'Kraków, PL',
    bio: 'Beekeeper on two rooftops. Biology teacher on weekdays.',
    verified: true,
  },
  {
    name: 'Ngozi Adeyemi-Clarke',
    place: 'Leeds, GB',
    bio: 'Library volunteer, mother of three readers.',
    verified: true,
  },
  {
    name: 'Mateo Quiroga Paz',
    place: 'Rosario, AR',
    bio: 'Rower. The river is my second home, so I would like it clean.',
    verified: true,
  },
  { name: 'Yuki Hanamura', place: 'Sapporo, JP', bio: 'Paper restorer. Cats, snow, old maps.' },
  {
    name: 'Trần Bảo Linh',
    place: 'Da Nang, VN',
    bio: 'Marine biology student. Sea turtles do not sign petitions, so I do.',
    verified: true,
  },
  {
    name: 'Fatou Ndiaye-Sarr',
    place: 'Saint-Louis, SN',
    bio: 'I run a small bakery and a larger choir.',
    verified: true,
  },
  { name: 'Oskar Lindqvist-Berg', place: 'Malmö, SE', verified: true },
  {
    name: 'Priya Raghunathan',
    place: 'Chennai, IN',
    bio: 'Paediatrician. Believes in shade, water and school meals.',
    verified: true,
  },
  {
    name: 'Callum Dunsmore',
    place: 'Dundee, GB',
    bio: 'Bus driver for nineteen years. Opinions are mine, delays are not.',
    verified: true,
  },
  { name: 'Zeynep Karaduman', place: 'Izmir, TR', bio: 'Street photographer.' },
  {
    name: 'Léa Fontanier',
    place: 'Lyon, FR',
    bio: 'Repairs bicycles, writes letters to ministries.',
    verified: true,
  },
  { name: 'Hemi Parata-Wilson', place: 'Dunedin, NZ', verified: true },
  {
    name: 'Siobhán Mac Giolla',
    place: 'Galway, IE',
    bio: 'Fiddle player and secretary of a residents’ association.',
    verified: true,
  },
  { name: 'Jakob Steinhuber', place: 'Graz, AT', bio: 'Organic farmer, third generation.' },
  { name: 'Mariam Chitashvili', place: 'Tbilisi, GE', verified: true },
  {
    name: 'Kwabena Ofori-Mensah',
    place: 'Kumasi, GH',
    bio: 'Teaches physics without a laboratory. For now.',
    verified: true,
  },
  { name: 'Ana Lucía Barrantes', place: 'Cartago, CR', bio: 'Translator and hiker.' },
  { name: 'Dmytro Kovalchyn', place: 'Lviv, UA', verified: true },
  { name: 'Noor Al-Khatibi', place: 'Amman, JO', bio: 'Architect who walks to work.' },
  {
    name: 'Bram van der Hulst',
    place: 'Utrecht, NL',
    bio: 'Uses a wheelchair and a loud bell.',
    verified: true,
  },
  { name: 'Chiara Belmonti', place: 'Bologna, IT', bio: 'Puppet theatre, on and off stage.' },
  { name: 'Aino Räsälä', place: 'Tampere, FI', verified: true },
  {
    name: 'Thabo Mokwena-Dube',
    place: 'Durban, ZA',
    bio: 'Electrician. Switches things on for a living.',
    verified: true,
  },
  { name: 'Marisol Cienfuegos Rey', place: 'Oaxaca, MX', bio: 'Weaver and market trader.' },
  { name: 'Seol Hae-won', place: 'Busan, KR', verified: true },
  { name: 'Rashida Chowdhury-Mir', place: 'Sylhet, BD', bio: 'Works in textiles, reads at night.' },
  {
    name: 'Pedro Vasconcelos Nunes',
    place: 'Recife, BR',
    bio: 'Courier on two wheels.',
    verified: true,
  },
  { name: 'Ingrid Solheim-Aas', place: 'Bergen, NO', verified: true },
  {
    name: 'Wanjiru Kamande',
    place: 'Nakuru, KE',
    bio: 'Seed saver. Forty kinds of beans and counting.',
    verified: true,
  },
  { name: 'Gábor Szentmihályi', place: 'Pécs, HU' },
  { name: 'Eleni Papadaki-Roussou', place: 'Chania, GR', bio: 'Guide, swimmer, grandmother.' },
  { name: 'Maya Rosenthal-Katz', place: 'Haifa, IL', verified: true },
  { name: 'Catalina Huenchul', place: 'Valdivia, CL', bio: 'Wetlands ranger.', verified: true },
  { name: 'Samir Benhaddou', place: 'Fez, MA' },
  { name: 'Adaeze Umeh-Price', place: 'Enugu, NG', bio: 'Law student, debater.', verified: true },
  { name: 'Putri Wulandari Hasan', place: 'Yogyakarta, ID', verified: true },
  { name: 'Margaret Ostrowski-Lane', place: 'Duluth, US', bio: 'Retired, which is to say busy.' },
];
