import type { Scene } from './scenes.ts';

/** What happened to petitions of the demo world after their publication. Days are before its creation. */
export interface DemoNews {
  /** Title of the petition. */
  about: string;
  updates?: { title: string; body: string; days: number; picture?: Scene }[];
  /** Of the decision maker with this name. */
  response?: {
    by: string;
    position: 'supportive' | 'opposed' | 'neutral';
    body: string;
    days: number;
  };
  /** Comments and the answers to them. */
  talk?: { by: string; body: string; days: number; replies?: { by: string; body: string }[] }[];
}

export interface DemoOrganization {
  name: string;
  owner: string;
  members: string[];
  description: string;
  website: string;
  /** Titles of its petitions. */
  petitions: string[];
}

export const organizations: DemoOrganization[] = [
  {
    name: 'Night Shift Alliance',
    owner: 'Inês Carvalhal',
    members: ['Pedro Vasconcelos Nunes', 'Callum Dunsmore'],
    description:
      'Nurses, cooks, porters and drivers who work while the city sleeps.\n\nWe ask for **three things**:\n\n- a way home after midnight\n- light on that way\n- a place to wait that is warm',
    website: 'https://night-shift.example',
    petitions: ['Keep the night tram running after one o’clock'],
  },
  {
    name: 'Friends of the Wash House',
    owner: 'Chiara Belmonti',
    members: ['Siobhán Mac Giolla'],
    description:
      'Sixty-four seats, none of them straight, and a wooden wolf. We keep the puppet theatre in the quarter.',
    website: 'https://wash-house.example',
    petitions: ['Save the puppet theatre in the old wash house'],
  },
  {
    name: 'Repair Cafés of the Region',
    owner: 'Léa Fontanier',
    members: ['Thabo Mokwena-Dube', 'Margaret Ostrowski-Lane'],
    description: 'Twenty-three cafés in which people mend what they own, together and for nothing.',
    website: 'https://repair.example',
    petitions: ['Sell spare parts for household machines for ten years'],
  },
];

export const news: DemoNews[] = [
  {
    about: 'Keep the night tram running after one o’clock',
    updates: [
      {
        title: 'We counted: 640 people would ride it',
        days: 40,
        body: 'On three nights we stood at the doors of two hospitals with a clipboard.\n\n- **412** work in nursing and care\n- **131** clean or cook\n- **97** are students and guests\n\nThe Mobility Office has the list, without names. *Thank you to everyone who stood there with us.*',
      },
      {
        title: 'The Mobility Office invites us',
        days: 9,
        body: 'On the 14th we sit down with the people who plan the timetable. What should we bring? Write it below.\n\n> We do not promise anything. But we have read every comment.\n\nThat is what they wrote, and it is more than we had.',
        picture: 'tram',
      },
    ],
    response: {
      by: 'Mobility Office',
      position: 'neutral',
      days: 4,
      body: 'We have read your petition and the survey. A tram an hour between one and five would cost about 410,000 a year. We are examining **a trial on Fridays and Saturdays** from March, and will publish the numbers of passengers as you ask.',
    },
    talk: [
      {
        by: 'Pedro Vasconcelos Nunes',
        days: 12,
        body: 'The last tram is always full. They know that the passengers are there.',
        replies: [
          { by: 'Inês Carvalhal', body: 'Exactly. We have photographs of three Fridays.' },
          { by: 'Callum Dunsmore', body: 'From the driver’s seat: it is the same with us.' },
        ],
      },
      {
        by: 'Aino Räsälä',
        days: 6,
        body: 'What does the depot cost at night if it is staffed anyway? That figure would help.',
        replies: [{ by: 'Inês Carvalhal', body: 'Good question. It is on our list for the 14th.' }],
      },
    ],
  },
  {
    about: 'Save the puppet theatre in the old wash house',
    updates: [
      {
        title: 'A third of the roof is promised',
        days: 6,
        body: 'The carpenters’ guild gives the beams. If the city buys the house, we can begin **in the summer holidays**.',
        picture: 'theatre',
      },
    ],
    talk: [
      {
        by: 'Siobhán Mac Giolla',
        days: 3,
        body: 'We played for the wolf once. He did not applaud, but he listened.',
        replies: [{ by: 'Chiara Belmonti', body: 'He never applauds. It is his arms.' }],
      },
    ],
  },
  {
    about: 'A safe crossing at the school on Mill Lane',
    response: {
      by: 'Highways Team',
      position: 'supportive',
      days: 98,
      body: 'The eleven children who spoke at our meeting made a better case than any report. We will build **a raised crossing with lights** in the spring holidays, and lower the limit to 20 from the bridge to the roundabout.',
    },
    updates: [
      {
        title: 'The lights are on',
        days: 20,
        body: 'This morning at eight the first three hundred children crossed. A lollipop lady cried, and so did we.',
        picture: 'crossing',
      },
    ],
    talk: [
      {
        by: 'Bram van der Hulst',
        days: 18,
        body: 'Raised crossings are level with the kerb. Thank you for that, too.',
      },
    ],
  },
  {
    about: 'Let rooftop beehives stay in the city',
    response: {
      by: 'Department of Greenery',
      position: 'opposed',
      days: 15,
      body: 'We share the love of bees. But honeybees compete with wild ones, of which eleven kinds in our city are endangered. We would rather plant more before we allow more hives.',
    },
    talk: [
      {
        by: 'Tomasz Wierzbicki',
        days: 14,
        body: 'The point about wild bees is fair. A limit for each roof, and flowers beside it, would answer it.',
        replies: [
          { by: 'Catalina Huenchul', body: 'We do it like that along the wetlands. It works.' },
        ],
      },
    ],
  },
];
