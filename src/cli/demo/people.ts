import type { UserRole } from '../../platform/http/route.ts';
import { slugify } from '../../platform/slug.ts';

/** A fictional person with a login in the demo world. */
export interface DemoPerson {
  name: string;
  /** City and country code, shown next to a signature. */
  place: string;
  role: UserRole;
  /** Whether the address is verified. */
  verified: boolean;
  /** What the portrait shows; undefined for people without a picture. */
  look: string | undefined;
  bio: string | undefined;
}

/** The password of all people in the demo world. */
export const demoPassword = 'demo demo demo';

/** The mail address of a person, in a domain reserved for examples (RFC 2606). */
export const emailOf = (person: Pick<DemoPerson, 'name'>) =>
  `${slugify(person.name, 'user').replaceAll('-', '.')}@demo.example`;

/** Name, place, role or state of the address, look (see portraits.ts; - for none), and bio. */
const table = `
Robin Aldersey | Leeds, GB | admin | 1sfo | Keeps this demo in order. Ask me where things are.
Sam Kettleborough | Cardiff, GB | moderator | 0tn | Reads reports, drinks tea, answers within the day.
Inês Carvalhal | Porto, PT | verified | 1lk | Night-shift nurse and tram enthusiast. I count buses that do not come.
Tomasz Wierzbicki | Kraków, PL | verified | 0sfo | Beekeeper on two rooftops. Biology teacher on weekdays.
Ngozi Adeyemi-Clarke | Leeds, GB | verified | 4ck | Library volunteer, mother of three readers.
Mateo Quiroga Paz | Rosario, AR | verified | 1sk | Rower. The river is my second home, so I would like it clean.
Yuki Hanamura | Sapporo, JP | unverified | 0lko | Paper restorer. Cats, snow, old maps.
Trần Bảo Linh | Da Nang, VN | verified | 1lk | Marine biology student. Sea turtles do not sign petitions, so I do.
Fatou Ndiaye-Sarr | Saint-Louis, SN | verified | 4vk | I run a small bakery and a larger choir.
Oskar Lindqvist-Berg | Malmö, SE | verified | 0sf |
Priya Raghunathan | Chennai, IN | verified | 2bk | Paediatrician. Believes in shade, water and school meals.
Callum Dunsmore | Dundee, GB | verified | 0tr | Bus driver for nineteen years. Opinions are mine, delays are not.
Zeynep Karaduman | Izmir, TR | unverified | 1lno | Street photographer.
Léa Fontanier | Lyon, FR | verified | 0bn | Repairs bicycles, writes letters to ministries.
Hemi Parata-Wilson | Dunedin, NZ | verified | 2sk |
Siobhán Mac Giolla | Galway, IE | verified | 0lr | Fiddle player and secretary of a residents’ association.
Jakob Steinhuber | Graz, AT | unverified | 0sf | Organic farmer, third generation.
Mariam Chitashvili | Tbilisi, GE | verified | 1lk |
Kwabena Ofori-Mensah | Kumasi, GH | verified | 4sko | Teaches physics without a laboratory. For now.
Ana Lucía Barrantes | Cartago, CR | unverified | 2ln | Translator and hiker.
Dmytro Kovalchyn | Lviv, UA | verified | - |
Noor Al-Khatibi | Amman, JO | unverified | 2vk | Architect who walks to work.
Bram van der Hulst | Utrecht, NL | verified | 0sn | Uses a wheelchair and a loud bell.
Chiara Belmonti | Bologna, IT | unverified | 1ck | Puppet theatre, on and off stage.
Aino Räsälä | Tampere, FI | verified | 0bfo |
Thabo Mokwena-Dube | Durban, ZA | verified | 4sk | Electrician. Switches things on for a living.
Marisol Cienfuegos Rey | Oaxaca, MX | unverified | 2lk | Weaver and market trader.
Seol Hae-won | Busan, KR | verified | - |
Rashida Chowdhury-Mir | Sylhet, BD | unverified | 3vk | Works in textiles, reads at night.
Pedro Vasconcelos Nunes | Recife, BR | verified | 2sk | Courier on two wheels.
Ingrid Solheim-Aas | Bergen, NO | verified | - |
Wanjiru Kamande | Nakuru, KE | verified | 4bk | Seed saver. Forty kinds of beans and counting.
Gábor Szentmihályi | Pécs, HU | unverified | - |
Eleni Papadaki-Roussou | Chania, GR | unverified | 1bg | Guide, swimmer, grandmother.
Maya Rosenthal-Katz | Haifa, IL | verified | - |
Catalina Huenchul | Valdivia, CL | verified | 1ln | Wetlands ranger.
Samir Benhaddou | Fez, MA | unverified | 2tk |
Adaeze Umeh-Price | Enugu, NG | verified | 4lk | Law student, debater.
Putri Wulandari Hasan | Yogyakarta, ID | verified | 2vk |
Margaret Ostrowski-Lane | Duluth, US | unverified | 0bgo | Retired, which is to say busy.
`;

export const people: DemoPerson[] = table.trim().split('\n').map(readPerson);

function readPerson(line: string): DemoPerson {
  const [name, place, status, look, bio] = line.split('|').map((text) => text.trim());
  return {
    name: name!,
    place: place!,
    role: status === 'admin' || status === 'moderator' ? status : 'user',
    verified: status !== 'unverified',
    look: look === '-' ? undefined : look,
    bio: bio || undefined,
  };
}
