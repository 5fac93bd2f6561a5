import type { PetitionInput } from '../../campaigns/petitions/schema.ts';
import type { Scene } from './scenes.ts';

/** A petition of the demo world. Its place is that of its creator. Places are real; everything else is fictional. */
export interface DemoPetition extends PetitionInput {
  /** Slug of its category. */
  category: string;
  picture?: Scene;
  /** Name of its creator. */
  by: string;
  state: DemoState;
  victoryMessage?: string;
  /** Comments of some signers. */
  comments?: string[];
}

/** State of a petition. Numbers are days before the creation of the demo world. */
export type DemoState =
  | { is: 'draft'; written: number }
  | { is: 'active'; published: number; signatures: number }
  | { is: 'closed' | 'victory'; published: number; ended: number; signatures: number };

export const petitions: DemoPetition[] = [
  {
    title: 'Keep the night tram running after one o’clock',
    category: 'transport-and-cities',
    picture: 'tram',
    by: 'Inês Carvalhal',
    tags: ['public transport', 'night', 'safety'],
    signatureGoal: 2500,
    decisionMakers: [
      { name: 'Mobility Office', title: 'City of Porto', email: 'mobility@porto.example' },
      { name: 'Tram Operations', email: 'operations@trams.example' },
    ],
    state: { is: 'active', published: 61, signatures: 2120 },
    description: `The last tram on the river line leaves at ten to one. My shift at the hospital ends at half past. So do the shifts of cleaners, cooks, porters and stagehands, and what is left for us is a taxi that costs an hour’s pay, or a walk along a road with no pavement.

We ask for one tram an hour between one and five, seven nights a week. The line is lit, the drivers’ depot is staffed through the night anyway, and a survey that we made at two hospitals found 640 people who would ride it.

Try it for a year, count the passengers, and publish the numbers.`,
    comments: [
      'I finish at two. I walk, with my keys between my fingers.',
      'Stagehand here. After the show there is nothing but taxis.',
      'As a student I would study at the library for longer.',
      'I drive the last tram and have to leave people behind at every stop.',
      'Fewer cars at night means we can sleep with the window open.',
    ],
  },
  {
    title: 'A safe crossing at the school on Mill Lane',
    category: 'transport-and-cities',
    picture: 'crossing',
    by: 'Ngozi Adeyemi-Clarke',
    tags: ['schools', 'road safety'],
    signatureGoal: 500,
    decisionMakers: [
      { name: 'Highways Team', title: 'City Council', email: 'highways@council.example' },
    ],
    state: { is: 'victory', published: 204, ended: 96, signatures: 742 },
    victoryMessage:
      'The council has approved a raised crossing with lights, and work begins in the spring holidays. Thank you to everyone who signed, and to the eleven children who spoke at the meeting. They were better than any of us.',
    description: `Three hundred children cross Mill Lane twice a day. There is no crossing between the roundabout and the railway bridge, which is almost half a mile, and drivers come off the bypass at forty.

In the last year two parents were hit by wing mirrors. We do not want to wait for something worse. We ask for a raised crossing with lights at the school gate, and for a limit of twenty miles an hour from the bridge to the roundabout.`,
    comments: [
      'My daughter is seven and I still cannot let her go alone.',
      'I drive there. Even at thirty you see the children too late.',
      'I taught at this school for ten years. Do it.',
    ],
  },
  {
    title: 'Lower the kerbs on the old town’s main route',
    category: 'human-rights',
    picture: 'kerbs',
    by: 'Bram van der Hulst',
    tags: ['accessibility', 'public space'],
    signatureGoal: 1000,
    state: { is: 'active', published: 37, signatures: 655 },
    description: `From the station to the museum it is eight hundred metres. With wheels it is nineteen kerbs, four of them higher than my footrest, and one detour of a kilometre.

Lowered kerbs help people in wheelchairs, and also those with prams, suitcases, walking frames and tired legs. When the street is opened for the new water pipes next year, lowering them costs almost nothing. We ask the city to put it into that plan now.`,
    comments: [
      'Double buggy. I know every single one of those kerbs.',
      'My mother stopped visiting the museum because of this street.',
      'The pipes are the chance. Please do not miss it.',
    ],
  },
  {
    title: 'Let rooftop beehives stay in the city',
    category: 'animals',
    picture: 'hives',
    by: 'Tomasz Wierzbicki',
    tags: ['bees', 'biodiversity', 'roofs'],
    signatureGoal: 1500,
    decisionMakers: [{ name: 'Department of Greenery', email: 'greenery@city.example' }],
    state: { is: 'active', published: 88, signatures: 1240 },
    description: `A draft of the new building rules forbids beehives on roofs within three hundred metres of a home. In a city that means everywhere.

There are about ninety hives on our roofs. They have been kept for years without a serious complaint, by people who took courses, registered every colony and let the vet in. We agree that there should be rules. Keep the registration, limit the number of hives for each roof, ask for water nearby. But do not forbid what works.`,
    comments: [
      'The hive on our office roof is the only thing all departments agree on.',
      'I am allergic and I still sign. The hives are not the problem.',
      'The honey from the theatre roof tastes of lime trees.',
    ],
  },
  {
    title: 'Dim the beach lights while the turtles hatch',
    category: 'animals',
    picture: 'turtles',
    by: 'Trần Bảo Linh',
    tags: ['sea turtles', 'light', 'coast'],
    signatureGoal: 750,
    state: { is: 'victory', published: 160, ended: 41, signatures: 918 },
    victoryMessage:
      'Eleven hotels and the harbour have signed an agreement: from May to September the lights facing the sea are dimmed and amber after nine in the evening. Last week’s nest reached the water, all 83 of them. We counted.',
    description: `Young turtles find the sea by its brightness. On our beach the brightest thing at night is the promenade, so they crawl the wrong way, onto the road.

Amber lamps with shades, dimmed after nine for five months of the year, are enough. People see where they walk, and turtles see where to swim. We ask the hotels and the harbour to agree on it before the season begins.`,
    comments: [
      'We found two on the pavement last summer.',
      'As a hotel guest I would much rather see stars.',
    ],
  },
  {
    title: 'Save the puppet theatre in the old wash house',
    category: 'arts-and-culture',
    picture: 'theatre',
    by: 'Chiara Belmonti',
    tags: ['theatre', 'children', 'heritage'],
    signatureGoal: 3000,
    decisionMakers: [
      { name: 'Culture Committee', title: 'City Council', email: 'culture@city.example' },
    ],
    state: { is: 'active', published: 24, signatures: 1480 },
    description: `For thirty-one years the wash house has been a theatre with sixty-four seats, none of them quite straight. Every child in the quarter has cried there about a wooden wolf.

The lease ends in the summer, and the building is to be sold. We ask the city to use its right to buy it first, as it did with the cinema next door, and to let it to the theatre for what it can pay. We will raise the cost of the new roof ourselves; a third of it is already promised.`,
    comments: [
      'I cried about the wolf when I was six. My son did last Sunday.',
      'I repaired the curtain twice and would do it again.',
      'My class goes every year. There is nothing else like it.',
      'Buildings can be bought again. A company that is gone is gone.',
    ],
  },
  {
    title: 'Open the music school’s practice rooms in the evening',
    category: 'arts-and-culture',
    by: 'Siobhán Mac Giolla',
    tags: ['music', 'young people'],
    signatureGoal: 300,
    state: { is: 'closed', published: 231, ended: 140, signatures: 187 },
    description: `There are twelve sound-proofed rooms in the music school. At half past five they are locked. Those who work or go to school all day then practise in kitchens, to the joy of nobody.

Leave four of the rooms open until ten, with a booking list and a caretaker who is paid for it. A small fee is fine. We have collected the names of forty people who would book a weekly hour at once.`,
  },
  {
    title: 'Give us seven days to return what we buy at the door',
    category: 'consumer-rights',
    by: 'Margaret Ostrowski-Lane',
    tags: ['doorstep sales', 'older people'],
    signatureGoal: 1000,
    state: { is: 'active', published: 112, signatures: 388 },
    description: `A polite young man sold my neighbor a water filter for eleven hundred dollars. She is eighty-four and has excellent water. She had three days to change her mind, and two of them were a weekend.

Seven days would be enough for a daughter to visit, a bill to be read, a question to be asked. We ask our state legislators to lengthen the period, and to let it begin only when the papers have been handed over in print.`,
    comments: [
      'They came to my father too. Twice.',
      'I used to sell at doors. Honest sellers have nothing to fear from seven days.',
    ],
  },
  {
    title: 'Sell spare parts for household machines for ten years',
    category: 'consumer-rights',
    picture: 'repair',
    by: 'Léa Fontanier',
    tags: ['repair', 'waste', 'appliances'],
    signatureGoal: 5000,
    decisionMakers: [{ name: 'Consumer Affairs Office', email: 'consumers@ministry.example' }],
    state: { is: 'active', published: 149, signatures: 2310 },
    description: `In our repair café we open about nine hundred machines a year. Half of those that we give up on lack one part: a pump, a seal, a hinge of plastic worth two euros that nobody will sell.

We ask that whoever sells washing machines, ovens, fridges and vacuum cleaners must also sell their parts, to anyone, at a fair price, for ten years after the last machine was made. Drawings of the small parts should be published, so that they can be printed where they are needed.`,
    comments: [
      'My oven died of a missing hinge. The hinge was four centimetres long.',
      'I repair for a living. It is always the same six parts.',
      'We throw away metal because of plastic.',
      'Publishing the drawings is the best idea in here.',
    ],
  },
  {
    title: 'Free phone calls from prison to one’s children',
    category: 'criminal-justice',
    by: 'Adaeze Umeh-Price',
    tags: ['families', 'prisons', 'children'],
    signatureGoal: 800,
    signaturePrivacy: 'count_only',
    state: { is: 'active', published: 73, signatures: 271 },
    description: `A child whose father is in prison has done nothing wrong. Yet ten minutes on the phone with him cost a day’s food, and the line is open only while the child is at school.

We ask for two free calls a week, of fifteen minutes each, to one’s own children, in the evening. Families that stay together are what brings people home and keeps them there. The law clinic of our faculty has worked out the cost and will gladly show it.`,
  },
  {
    title: 'Put legal aid desks into every district court',
    category: 'criminal-justice',
    picture: 'court',
    by: 'Mariam Chitashvili',
    tags: ['legal aid', 'courts'],
    signatureGoal: 400,
    state: { is: 'closed', published: 265, ended: 175, signatures: 412 },
    description: `Most people who come to a district court come once in their lives, alone, with a letter that they do not understand. The nearest office of legal aid can be two hours away by bus.

A desk, a telephone and one trained person on two mornings a week would change that. We ask the ministry to begin with the six courts that are furthest from any office. This petition ends when the budget is debated, and will be handed over on that day.`,
  },
  {
    title: 'Pay apprentices enough to travel to work',
    category: 'economy-and-work',
    picture: 'road',
    by: 'Thabo Mokwena-Dube',
    tags: ['apprentices', 'wages', 'transport'],
    signatureGoal: 1200,
    state: { is: 'active', published: 52, signatures: 803 },
    description: `I learned my trade because an uncle lent me the fare. The apprentices I teach now spend a third of their allowance on taxis before they have held a screwdriver.

We ask employers who take public money for training to pay the way there and back on top of the allowance, by the kilometre, every week and not at the end of the month. Nobody should have to give up a trade because of forty kilometres.`,
    comments: [
      'I gave up in the second year. It was the fare.',
      'I employ four and would pay it tomorrow if everybody had to.',
      'Weekly, yes! Month’s end is when the money is gone.',
    ],
  },
  {
    title: 'Fair fees for couriers who wait at the counter',
    category: 'economy-and-work',
    picture: 'courier',
    by: 'Pedro Vasconcelos Nunes',
    tags: ['couriers', 'gig work'],
    signatureGoal: 1000,
    signaturePrivacy: 'creator_only',
    state: { is: 'active', published: 12, signatures: 344 },
    description: `We are paid for the ride. Nobody pays for the twenty minutes in which we stand before a counter because an order was promised before it was cooked.

We ask the delivery services to pay waiting time from the sixth minute on, at the rate of the ride, and to show us the kitchen’s own estimate before we accept. That is fair to us, and restaurants will learn to promise what they can keep.`,
    comments: [
      'Forty minutes last night, in the rain, for nothing.',
      'I own a small kitchen. This would make everybody honest, us too.',
    ],
  },
  {
    title: 'A physics laboratory for every secondary school',
    category: 'education',
    picture: 'laboratory',
    by: 'Kwabena Ofori-Mensah',
    tags: ['schools', 'science'],
    signatureGoal: 1000,
    decisionMakers: [
      { name: 'Regional Directorate of Schools', email: 'schools@region.example' },
      { name: 'Science Curriculum Board', email: 'curriculum@board.example' },
    ],
    state: { is: 'active', published: 99, signatures: 1015 },
    description: `I draw lenses on the blackboard. My pupils copy the rays, get full marks, and have never held a lens.

A shared laboratory for every four schools, with a trained assistant and a van, costs less than one new classroom each. We ask the directorate to begin with ten such groups, to buy what can be repaired here, and to open the rooms to anybody in the holidays.`,
    comments: [
      'I am an engineer now and saw my first oscilloscope at 21.',
      'The van is a clever idea. Ours could serve five schools.',
      'I would volunteer on Saturdays.',
    ],
  },
  {
    title: 'Keep our branch library open on Saturdays',
    category: 'education',
    picture: 'library',
    by: 'Ngozi Adeyemi-Clarke',
    tags: ['libraries', 'reading'],
    signatureGoal: 600,
    state: { is: 'active', published: 5, signatures: 236 },
    description: `From September our branch library is to close on Saturdays. It is the one day on which children come with their parents, and on which those who work all week can come at all.

Saturday brings a third of all loans on a sixth of the hours. If hours must be cut, cut Tuesday morning, when I have the reading room to myself. We ask the council to look at its own figures and change the day.`,
    comments: [
      'Saturday is when I use the computers to apply for jobs.',
      'Our book club is nine pensioners and two teenagers. Saturdays only.',
    ],
  },
  {
    title: 'Protect the river wetlands from the new road',
    category: 'environment',
    picture: 'wetland',
    by: 'Catalina Huenchul',
    tags: ['wetlands', 'birds', 'roads'],
    signatureGoal: 2000,
    decisionMakers: [{ name: 'Regional Works Office', email: 'works@region.example' }],
    state: { is: 'active', published: 43, signatures: 1390 },
    description: `The planned road cuts the wetland in two. The water would still be there on the map, and dead within ten years, because the eastern half has no other inflow than the western.

There is a second route, two kilometres longer, on ground that was built on already. It was in the first study, and vanished from the second without a reason. We ask the works office to publish both studies, and to take the route that leaves the water whole.`,
    comments: [
      'I learned to row there. You hear nothing but birds.',
      'Two kilometres! We drive further for bread.',
      'Publish both studies. That is all it takes to see it.',
    ],
  },
  {
    title: 'Clean the river before the regatta, and after it',
    category: 'environment',
    picture: 'river',
    by: 'Mateo Quiroga Paz',
    tags: ['river', 'rowing', 'waste'],
    signatureGoal: 400,
    state: { is: 'victory', published: 282, ended: 190, signatures: 467 },
    victoryMessage:
      'The port, four clubs and the city now share a boat that collects waste every second Thursday, the whole year round. The first trip brought in 1.4 tonnes and a piano stool.',
    description: `Every year the river is cleaned in the week before the regatta, for the photographs. In the other fifty-one weeks we row through bottles.

The boat that does it belongs to the port and lies idle. Our clubs can find a crew of volunteers twice a month; what we need is fuel, a berth for the skip, and somebody who signs for it.`,
    comments: ['I have the blisters and the bottles to prove it.', 'Our club will take March.'],
  },
  {
    title: 'Plant shade trees along the market street',
    category: 'environment',
    picture: 'market',
    by: 'Priya Raghunathan',
    tags: ['trees', 'heat', 'markets'],
    signatureGoal: 900,
    state: { is: 'active', published: 19, signatures: 512 },
    description: `In May I treat traders for heat stroke who have sat in the same place for thirty years. What has changed is that the trees are gone: forty-one were felled when the street was widened, and none was planted.

We ask for forty-one trees of kinds that cast shade, in pits that are large enough to let them live, and for the traders to be asked where. Until they have grown, cloth sails across the street would do.`,
    comments: [
      'My stall is where the third tree stood.',
      'The sails could be up in a week.',
      'Large pits, please. The last ones died in flower pots.',
    ],
  },
  {
    title: 'School meals from farms in our own valley',
    category: 'food-and-farming',
    picture: 'field',
    by: 'Jakob Steinhuber',
    tags: ['school meals', 'local food', 'farms'],
    signatureGoal: 700,
    state: { is: 'active', published: 128, signatures: 590 },
    description: `The carrots in our school canteen have travelled further than most of the pupils. There are twenty-six farms within fifteen kilometres, and not one of them can bid, because the contract is for all schools of the province at once.

Split the contract into lots of ten schools, and let menus follow the season. We do not ask for a higher price. We ask for a tender that a farm can read.`,
    comments: [
      'I cook there. Give me carrots with soil on them.',
      'We would deliver twice a week, on the way to the market.',
    ],
  },
  {
    title: 'Let farmers swap their own seeds',
    category: 'food-and-farming',
    picture: 'seeds',
    by: 'Wanjiru Kamande',
    tags: ['seeds', 'biodiversity', 'beans'],
    signatureGoal: 2000,
    state: { is: 'active', published: 179, signatures: 1105 },
    description: `My grandmother’s beans have no name in any register. They survive drought, they taste of chestnut, and under the rules I may eat them but not give a handful to my neighbour for hers.

Rules against bad seed are right for those who sell by the tonne. We ask for an exemption for farmers who swap or sell small amounts of what they grew themselves, and for a public seed bank in every county where such kinds are kept.`,
    comments: [
      'I have nine kinds of maize that are in no book.',
      'As a plant breeder: we need these fields more than they need us.',
      'A handful for a handful. That is how it always was.',
    ],
  },
  {
    title: 'A night pharmacy on the east side of the bay',
    category: 'health',
    picture: 'bay',
    by: 'Eleni Papadaki-Roussou',
    tags: ['pharmacies', 'night', 'older people'],
    signatureGoal: 350,
    state: { is: 'victory', published: 147, ended: 70, signatures: 361 },
    victoryMessage:
      'From the first of the month the five pharmacies on the east side take turns. The list hangs on every door, and on mine in large letters.',
    description: `After nine in the evening the nearest open pharmacy is across the bay, forty minutes by car if one has a car. There are five on our side. Each of them says that it would open one night in five, if the others did.

So let somebody make the list. We ask the association of pharmacists to do it, and the municipality to pay for the taxi when medicine has to be brought to those who cannot come.`,
    comments: ['My husband’s inhaler ran out on a Sunday night.', 'One of the five here. Gladly.'],
  },
  {
    title: 'Water fountains in every clinic and bus station',
    category: 'health',
    picture: 'fountain',
    by: 'Samir Benhaddou',
    tags: ['water', 'public health'],
    signatureGoal: 500,
    state: { is: 'active', published: 33, signatures: 164 },
    description: `Whoever waits in a clinic for half a day buys water in plastic, or goes without. It is the same at the bus station, where people wait longer than they travel.

We ask for one working fountain in each, with a tap low enough for a child and a date on it that says when it was last cleaned. It is a small thing. In August it is a large one.`,
  },
  {
    title: 'Publish the city’s budget in words that people understand',
    category: 'politics-and-government',
    by: 'Aino Räsälä',
    tags: ['budget', 'transparency', 'plain language'],
    signatureGoal: 600,
    visibility: 'unlisted',
    state: { is: 'active', published: 8, signatures: 58 },
    description: `The budget has 412 pages, and the word that is used for closing a school is “consolidation”. I read it for a living and still need a pencil.

We ask for twenty pages beside it, written for people, that say what is new, what ends, and what it costs each household. Have a class of fifteen-year-olds read them before they are printed. What they do not understand goes back.`,
  },
  {
    title: 'Meetings of the council in the evening, and online',
    category: 'politics-and-government',
    by: 'Callum Dunsmore',
    tags: ['local democracy', 'participation'],
    signatureGoal: 500,
    state: { is: 'draft', written: 3 },
    description: `The council meets on Mondays at two in the afternoon. I have driven a bus past it at that hour for nineteen years and have never been able to go in.

We ask for meetings at six, for a camera in the room, and for ten minutes at the end in which those who watch from home may put questions.`,
  },
  {
    title: 'Let asylum seekers join the language classes that have room',
    category: 'human-rights',
    by: 'Oskar Lindqvist-Berg',
    tags: ['language', 'asylum', 'education'],
    signatureGoal: 1000,
    visibility: 'private',
    state: { is: 'draft', written: 11 },
    description: `In our evening school a third of the chairs are empty, while across the road people wait for months to be allowed to learn. They may not sit on the empty chairs until their case is decided.

We ask that places which stay free in the second week may be given to them. The teacher is there, the light is on, the chair is there.`,
  },
];
