/** A region of people who only sign: places and common names. */
export interface Region {
  countries: string[];
  cities: string[];
  first: string[];
  last: string[];
}

const words = (text: string) => text.split(' ');
const places = (text: string) => text.split('; ');

export const regions: Region[] = [
  {
    countries: ['GB', 'IE'],
    cities: places('Leeds, GB; Dundee, GB; Bristol, GB; Cardiff, GB; Galway, IE; Cork, IE'),
    first: words('Aisha Ben Charlotte Dev Ewan Fiona George Hannah Imran Joan Kieran Lorna'),
    last: words('Ashworth Brennan Clegg Dhillon Egerton Farrow Gwynne Hussain Iveson Lomax'),
  },
  {
    countries: ['FR', 'CA', 'SN', 'MA'],
    cities: places('Lyon, FR; Nantes, FR; Lille, FR; Québec, CA; Dakar, SN; Fez, MA'),
    first: words('Aminata Baptiste Camille Driss Élodie Fanta Gaspard Hélène Idriss Jeanne Karim'),
    last: words('Arnoux Benali Chevrier Diop Estève Fournel Guillot Hamdi Lacombe Marchand'),
  },
  {
    countries: ['PT', 'BR'],
    cities: places('Porto, PT; Braga, PT; Coimbra, PT; Recife, BR; Curitiba, BR; Belém, BR'),
    first: words('Afonso Beatriz Caio Débora Eduarda Filipe Graça Heitor Isadora Joana Luana'),
    last: words('Abrantes Barbosa Cardoso Duarte Esteves Figueira Gouveia Leitão Moreira Pinto'),
  },
  {
    countries: ['ES', 'AR', 'MX', 'CL', 'CR'],
    cities: places('Rosario, AR; Córdoba, AR; Oaxaca, MX; Puebla, MX; Valdivia, CL; Cartago, CR'),
    first: words('Abril Bruno Carmen Diego Elena Fermín Gabriela Hugo Irene Julián Lourdes'),
    last: words('Arrieta Bustos Cabrera Domínguez Escobar Funes Godoy Ibarra Ledesma Montiel'),
  },
  {
    countries: ['DE', 'AT', 'NL', 'CH'],
    cities: places('Graz, AT; Leipzig, DE; Bremen, DE; Utrecht, NL; Ghent, BE; Basel, CH'),
    first: words('Anneke Björn Clara Dirk Emil Frieda Gijs Hanne Ida Jonas Klara Lotte'),
    last: words('Altmann Brouwer Decker Eberle Feldkamp Gerritsen Hofer Imhof Janssen Kessler'),
  },
  {
    countries: ['SE', 'NO', 'FI', 'DK'],
    cities: places('Malmö, SE; Uppsala, SE; Bergen, NO; Tampere, FI; Oulu, FI; Aarhus, DK'),
    first: words('Aksel Britta Elsa Eino Freja Gustav Helmi Ida Jens Kaisa Liv Mikael'),
    last: words('Andersen Bergström Dahl Eklund Fredlund Haugen Ikonen Järvi Kallio Lund'),
  },
  {
    countries: ['PL', 'UA', 'CZ', 'HU'],
    cities: places('Kraków, PL; Gdańsk, PL; Lviv, UA; Brno, CZ; Pécs, HU; Košice, SK'),
    first: words('Agnieszka Bartosz Danylo Eszter Halyna Ivana Jiří Kinga Lenka Marek Oksana'),
    last: words('Bielak Czarny Dvořák Fekete Horák Jankowski Kovalenko Lis Melnyk Nowicki'),
  },
  {
    countries: ['IT', 'GR', 'TR'],
    cities: places('Bologna, IT; Bari, IT; Chania, GR; Patras, GR; Izmir, TR; Bursa, TR'),
    first: words('Alessia Bruno Defne Emre Fotini Giulia Hakan Ilaria Katerina Lorenzo Merve'),
    last: words('Aksoy Bianchi Conti Demirci Fabbri Georgiou Kaplan Lombardi Nikolaou Rinaldi'),
  },
  {
    countries: ['IN', 'BD', 'LK'],
    cities: places('Chennai, IN; Pune, IN; Kochi, IN; Sylhet, BD; Khulna, BD; Kandy, LK'),
    first: words('Aditi Bharat Chitra Deepak Farhana Gopal Ishani Kavya Laxmi Mohan Nasrin'),
    last: words('Acharya Bose Chowdhury Deshpande Fernando Ghosh Iyer Joshi Karim Menon'),
  },
  {
    countries: ['KE', 'GH', 'NG', 'ZA'],
    cities: places('Nakuru, KE; Mombasa, KE; Kumasi, GH; Enugu, NG; Ibadan, NG; Durban, ZA'),
    first: words('Abena Bongani Chinelo Dumisani Efua Faith Gathoni Ifeanyi Kofi Lerato Musa'),
    last: words('Achieng Boateng Chukwu Dlamini Eze Gyasi Kariuki Mensah Nkosi Okoro'),
  },
  {
    countries: ['JP', 'KR', 'VN', 'ID', 'MY'],
    cities: places('Sapporo, JP; Busan, KR; Da Nang, VN; Hue, VN; Yogyakarta, ID; Ipoh, MY'),
    first: words('Aoi Bayu Chihiro Dewi Eunji Hana Intan Jisoo Kenta Lan Minh Nurul'),
    last: words('Abe Bui Cho Fujita Han Irawan Kim Lestari Mori Nguyen Park Siregar'),
  },
  {
    countries: ['US', 'NZ', 'AU'],
    cities: places('Duluth, US; Tucson, US; Dunedin, NZ; Nelson, NZ; Hobart, AU; Cairns, AU'),
    first: words('Aroha Brandon Caitlin Darnell Erin Frank Gloria Hunter Isla Jamal Kiri Luis'),
    last: words('Abbott Bradshaw Castillo Delaney Emerson Fuller Garrison Hohepa Ingram Jensen'),
  },
];

/** Comments that suit any petition. */
export const comments: string[] = [
  'Signed. It is the least I can do.',
  'My whole family supports this.',
  'About time somebody asked.',
  'I have waited years for this.',
  'Well written. Please keep us posted.',
  'Passing this on to my neighbours.',
  'Small things like this make a place worth living in.',
  'I was not sure at first, but the text convinced me.',
  'For my children.',
  'For my grandmother, who would have signed first.',
  'Please, please listen this time.',
  'It works elsewhere, so why not here?',
  'Thank you for starting this.',
  'I know people who need this every day.',
  'This costs little and helps many.',
  'Happy to help with leaflets.',
  'I saw the poster in the window and came straight here.',
  'We discussed this at work and all agreed.',
  'Common sense.',
  'Count me in.',
  'It concerns all of us, whoever we vote for.',
  'Good luck!',
  'I would add one thing: do it before winter.',
  'I moved away, but I still care.',
  'Proud to be an early signer.',
  'Not perfect, but far better than what we have.',
  'I wrote to them last year and never had an answer.',
  'A fair and modest request.',
  'Let us get to the next hundred!',
  'My sister told me about this.',
];
