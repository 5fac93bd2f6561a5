import type { UserRole } from '../platform/http/route.ts';
import { slugify } from '../platform/slug.ts';

/** A fictional person with a login in the demo world. */
export interface DemoPerson {
  name: string;
  /** City and country code, shown next to a signature. */
  place: string;
  role: UserRole;
  /** Whether the address is verified. */
  verified: boolean;
  bio: string | undefined;
}

/** The password of all people in the demo world. */
export const demoPassword = 'demo demo demo';

/** The mail address of a person, in a domain reserved for examples (RFC 2606). */
export const emailOf = (person: Pick<DemoPerson, 'name'>) =>
  `${slugify(person.name, 'user').replaceAll('-', '.')}@demo.example`;

/** Name, place, role or state of the address, and bio. */
const table = `
Robin Aldersey | Leeds, GB | admin | Keeps this demo in order. Ask me where things are.
Sam Kettleborough | Cardiff, GB | moderator | Reads reports, drinks tea, answers within the day.
Inês Carvalhal | Porto, PT | verified | Night-shift nurse and tram enthusiast. I count buses that do not come.
Tomasz Wierzbicki | Kraków, PL | verified | Beekeeper on two rooftops. Biology teacher on weekdays.
Ngozi Adeyemi-Clarke | Leeds, GB | verified | Library volunteer, mother of three readers.
Mateo Quiroga Paz | Rosario, AR | verified | Rower. The river is my second home, so I would like it clean.
Yuki Hanamura | Sapporo, JP | unverified | Paper restorer. Cats, snow, old maps.
Trần Bảo Linh | Da Nang, VN | verified | Marine biology student. Sea turtles do not sign petitions, so I do.
Fatou Ndiaye-Sarr | Saint-Louis, SN | verified | I run a small bakery and a larger choir.
Oskar Lindqvist-Berg | Malmö, SE | verified |
Priya Raghunathan | Chennai, IN | verified | Paediatrician. Believes in shade, water and school meals.
Callum Dunsmore | Dundee, GB | verified | Bus driver for nineteen years. Opinions are mine, delays are not.
Zeynep Karaduman | Izmir, TR | unverified | Street photographer.
Léa Fontanier | Lyon, FR | verified | Repairs bicycles, writes letters to ministries.
Hemi Parata-Wilson | Dunedin, NZ | verified |
Siobhán Mac Giolla | Galway, IE | verified | Fiddle player and secretary of a residents’ association.
Jakob Steinhuber | Graz, AT | unverified | Organic farmer, third generation.
Mariam Chitashvili | Tbilisi, GE | verified |
Kwabena Ofori-Mensah | Kumasi, GH | verified | Teaches physics without a laboratory. For now.
Ana Lucía Barrantes | Cartago, CR | unverified | Translator and hiker.
Dmytro Kovalchyn | Lviv, UA | verified |
Noor Al-Khatibi | Amman, JO | unverified | Architect who walks to work.
Bram van der Hulst | Utrecht, NL | verified | Uses a wheelchair and a loud bell.
Chiara Belmonti | Bologna, IT | unverified | Puppet theatre, on and off stage.
Aino Räsälä | Tampere, FI | verified |
Thabo Mokwena-Dube | Durban, ZA | verified | Electrician. Switches things on for a living.
Marisol Cienfuegos Rey | Oaxaca, MX | unverified | Weaver and market trader.
Seol Hae-won | Busan, KR | verified |
Rashida Chowdhury-Mir | Sylhet, BD | unverified | Works in textiles, reads at night.
Pedro Vasconcelos Nunes | Recife, BR | verified | Courier on two wheels.
Ingrid Solheim-Aas | Bergen, NO | verified |
Wanjiru Kamande | Nakuru, KE | verified | Seed saver. Forty kinds of beans and counting.
Gábor Szentmihályi | Pécs, HU | unverified |
Eleni Papadaki-Roussou | Chania, GR | unverified | Guide, swimmer, grandmother.
Maya Rosenthal-Katz | Haifa, IL | verified |
Catalina Huenchul | Valdivia, CL | verified | Wetlands ranger.
Samir Benhaddou | Fez, MA | unverified |
Adaeze Umeh-Price | Enugu, NG | verified | Law student, debater.
Putri Wulandari Hasan | Yogyakarta, ID | verified |
Margaret Ostrowski-Lane | Duluth, US | unverified | Retired, which is to say busy.
`;

export const people: DemoPerson[] = table.trim().split('\n').map(readPerson);

function readPerson(line: string): DemoPerson {
  const [name, place, status, bio] = line.split('|').map((text) => text.trim());
  return {
    name: name!,
    place: place!,
    role: status === 'admin' || status === 'moderator' ? status : 'user',
    verified: status !== 'unverified',
    bio: bio || undefined,
  };
}
