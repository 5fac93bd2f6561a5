/**
 * How people of a country write places, beside the names that CLDR and GeoNames know. docs/places.md says how to add a
 * country. Each list is separated by commas; a region or city stands before the equals sign with its name in GeoNames.
 */
export interface Habits {
  /** Names of the country: formal, short, former and joking ones. */
  names?: string;
  /**
   * Other names of regions. Capitals are an abbreviation. Islands, former regions and landscapes begin with a tilde: a city
   * of that name is not meant.
   */
  regions?: string;
  /** Nicknames, abbreviations and former names of cities. */
  cities?: string;
  /** Letters before a postcode: D-10115. */
  postcodeLetters?: string;
}

export const habits: Record<string, Habits> = {
  AE: { names: 'Uae, Emirates, the Emirates, الإمارات, الامارات, Émirats, VAE' },
  AT: {
    names: 'Republik Österreich, Oesterreich',
    postcodeLetters: 'A',
    regions: `Vienna = Wien; Lower Austria = Niederösterreich, NÖ; Upper Austria = Oberösterreich, OÖ;
      Styria = Steiermark; Tyrol = Tirol; Carinthia = Kärnten; Salzburg = Land Salzburg`,
  },
  AU: {
    names: 'AUS, Aus, Oz, Straya, Down Under',
    regions: `Australian Capital Territory = ACT; New South Wales = NSW; Northern Territory = NT; Queensland = QLD;
      South Australia = SA; Tasmania = TAS, Tassie; Victoria = VIC; Western Australia = WA`,
    cities: 'Gold Coast = Surfers Paradise',
  },
  BA: { names: 'Bosnia, Bosna, BiH, Bosnien, Bosnie' },
  BE: {
    names: 'Royaume de Belgique',
    postcodeLetters: 'B',
    regions: `Flanders = Vlaanderen, Flandre, Flandern, Flemish Region;
      Wallonia = Wallonie, Wallonië; Brussels Capital = Brussels-Capital Region`,
  },
  BR: {
    names: 'Brasil, República Federativa do Brasil',
    regions: `Acre = AC; Alagoas = AL; Amapá = AP; Amazonas = AM; Bahia = BA; Ceará = CE; Federal District = DF, Distrito Federal;
      Espírito Santo = ES; Goiás = GO; Maranhão = MA; Mato Grosso = MT; Mato Grosso do Sul = MS; Minas Gerais = MG, Minas;
      Pará = PA; Paraíba = PB; Paraná = PR; Pernambuco = PE; Piauí = PI; Rio de Janeiro = RJ; Rio Grande do Norte = RN;
      Rio Grande do Sul = RS; Rondônia = RO; Roraima = RR; Santa Catarina = SC; São Paulo = SP; Sergipe = SE; Tocantins = TO`,
    cities:
      'São Paulo = Sampa; Rio de Janeiro = Rio; Belo Horizonte = Beagá; Porto Alegre = POA; Brasília = BSB',
  },
  BS: { names: 'Bahamas' },
  CA: {
    names: 'CAN',
    regions: `Alberta = AB; British Columbia = BC, B.C., Colombie-Britannique, ~Vancouver Island; Manitoba = MB;
      New Brunswick = NB, Nouveau-Brunswick; Newfoundland and Labrador = NL, ~Newfoundland, ~Labrador, Terre-Neuve;
      Nova Scotia = NS, Nouvelle-Écosse, ~Cape Breton; Ontario = ON, ONT; Prince Edward Island = PE, PEI, Île-du-Prince-Édouard;
      Quebec = QC, PQ, Québec; Saskatchewan = SK, SASK; Yukon = YT; Northwest Territories = NT; Nunavut = NU`,
    cities: 'Toronto = GTA, The 6ix; Vancouver = YVR; Montréal = MTL',
  },
  CD: {
    names: `DRC, DR Congo, RDC, DRK, DRCongo, Congo DRC, Congo DR, Democratic Republic of the Congo, Democratic Republic of Congo, Zaire,
      République démocratique du Congo, Demokratische Republik Kongo, República Democrática del Congo, Congo, Kongo,
      Congo-Kinshasa, الكونغو الديمقراطية`,
  },
  CG: {
    names:
      'Republic of the Congo, Republic of Congo, Congo Republic, Congo-Brazzaville, Congo, Kongo, République du Congo',
  },
  CH: {
    names: 'Swiss, Schweizerische Eidgenossenschaft, Confoederatio Helvetica, Svizra, Helvetia',
    postcodeLetters: 'CH',
    regions: `Geneva = Genève, Genf, Ginevra; Vaud = Waadt; Valais = Wallis; Neuchâtel = Neuenburg;
      Ticino = Tessin; Grisons = Graubünden, Grigioni; Lucerne = Luzern; Zurich = Zürich; Bern = Berne, ~Berner Oberland;
      Saint Gallen = St. Gallen, Sankt Gallen; Basel-City = Basel-Stadt, Bâle-Ville; Thurgau = Thurgovie; Aargau = Argovie;
      Solothurn = Soleure; Jura = Canton du Jura; Basel-Landschaft = Baselland, Baselbiet`,
  },
  CI: { names: "Ivory Coast, Cote d'Ivoire, RCI, Elfenbeinküste, Costa de Marfil" },
  CN: {
    names: 'PRC, P.R. China, PR China, Mainland China, 中华人民共和国, Volksrepublik China',
    regions: `Beijing = 北京; Shanghai = 上海; Tianjin = 天津; Chongqing = 重庆, 重慶; Jiangsu = 江苏, 江蘇; Zhejiang = 浙江;
      Guangdong = 广东, 廣東, Canton; Shandong = 山东, 山東; Sichuan = 四川; Hubei = 湖北; Hunan = 湖南; Henan = 河南; Hebei = 河北;
      Fujian = 福建; Anhui = 安徽; Jiangxi = 江西; Liaoning = 辽宁; Jilin = 吉林; Heilongjiang = 黑龙江; Shaanxi = 陕西;
      Shanxi = 山西; Gansu = 甘肃; Yunnan = 云南; Guizhou = 贵州; Hainan = 海南; Guangxi = 广西; Inner Mongolia = 内蒙古;
      Ningxia = 宁夏; Qinghai = 青海; Tibet = 西藏; Xinjiang = 新疆`,
  },
  CV: { names: 'Cape Verde, Cabo Verde' },
  CZ: { names: 'Czech Republic, Czech, Czechia, ČR, Česká republika', postcodeLetters: 'CZ' },
  DE: {
    names: 'Bundesrepublik Deutschland, BRD, Deutschland, Federal Republic of Germany, GER',
    postcodeLetters: 'D, DE',
    regions: `Baden-Wurttemberg = Baden-Württemberg, BW, BaWü, ~Baden, ~Württemberg; Bavaria = Bayern, BY, ~Franken, ~Oberbayern,
      Bavière, Baviera; State of Berlin = BE, Land Berlin; Brandenburg = BB; Bremen = HB; Hamburg = HH; Hesse = Hessen, HE;
      Mecklenburg-Vorpommern = MV, Meck-Pomm, ~Mecklenburg, ~Vorpommern, ~Rügen, ~Usedom; Lower Saxony = Niedersachsen, NI, NDS,
      ~Ostfriesland; North Rhine-Westphalia = Nordrhein-Westfalen, NRW, NW, ~Ruhrgebiet, ~Ruhrpott, ~Rheinland, ~Westfalen;
      Rheinland-Pfalz = RLP, RP, Rhineland-Palatinate, ~Pfalz; Saarland = SL; Saxony = Sachsen, SN; Saxony-Anhalt = Sachsen-Anhalt,
      ST; Schleswig-Holstein = SH, ~Sylt, ~Nordfriesland; Thuringia = Thüringen, TH`,
    cities: `Rostock = Hansestadt Rostock; Lübeck = Hansestadt Lübeck; Hamburg = Hansestadt Hamburg;
      Berlin = Kreuzberg, Neukölln, Prenzlauer Berg, Friedrichshain, Charlottenburg, Pankow, Spandau`,
  },
  DK: { names: 'Danmark, Kongeriget Danmark', postcodeLetters: 'DK' },
  DO: { names: 'Dominican Republic, Rep. Dominicana, Republica Dominicana, RD, Dom Rep' },
  EG: {
    names:
      'Misr, Masr, EGY, ARE, جمهورية مصر العربية, مصر العربية, Arab Republic of Egypt, ام الدنيا',
  },
  ES: {
    names: 'Reino de España, Espanya, ESP',
    postcodeLetters: 'E',
    regions: `Andalusia = Andalucía; Aragon = Aragón; Asturias = Principado de Asturias, Asturies;
      Balearic Islands = Illes Balears, Islas Baleares, Baleares, ~Mallorca, ~Majorca, ~Menorca, ~Ibiza, ~Eivissa, ~Formentera;
      Basque Country = País Vasco, Euskadi, Pays basque espagnol; Canary Islands = Islas Canarias, Canarias, ~Tenerife, ~Gran Canaria,
      ~Lanzarote, ~Fuerteventura, ~La Palma, ~La Gomera, ~El Hierro; Castille-La Mancha = Castilla-La Mancha, Castilla La Mancha;
      Castille and León = Castilla y León, Castilla León; Catalonia = Cataluña, Catalunya, Katalonien, Catalogne;
      Galicia = Galiza, Galice; Madrid = Comunidad de Madrid; Murcia = Región de Murcia; Navarre = Navarra, Nafarroa;
      Valencia = Comunidad Valenciana, Comunitat Valenciana, País Valencià; Extremadura = Estremadura`,
    cities: 'Barcelona = BCN; San Sebastián = Donosti; Palma = Palma de Mallorca',
  },
  FI: { names: 'Suomi, Finnland', postcodeLetters: 'FI, FIN' },
  FR: {
    names: 'République française, La France, Hexagone, FRA',
    postcodeLetters: 'F',
    regions: `Auvergne-Rhône-Alpes = ~Auvergne, ~Rhône-Alpes, ARA, ~Savoie; Brittany = Bretagne, Breizh;
      Bourgogne-Franche-Comté = ~Bourgogne, ~Burgundy, ~Franche-Comté; Centre-Val de Loire = Centre; Corsica = Corse, Korsika;
      Grand Est = ~Alsace, ~Elsass, ~Lorraine, ~Champagne-Ardenne, ~Champagne, ~Ardennes; Hauts-de-France = ~Nord-Pas-de-Calais, ~Picardie, NPDC, ~Picardy;
      Île-de-France = IDF, Région parisienne, Banlieue parisienne, Paris region; Normandy = Normandie, ~Haute-Normandie, ~Basse-Normandie;
      New Aquitaine = Nouvelle-Aquitaine, ~Aquitaine, ~Limousin, ~Poitou-Charentes, ~Pays basque, ~Périgord;
      Occitanie = ~Languedoc-Roussillon, ~Languedoc, ~Roussillon, ~Midi-Pyrénées, Occitania;
      Pays de la Loire = ~Vendée; Provence-Alpes-Côte d'Azur = PACA, ~Provence, ~Côte d'Azur, ~French Riviera`,
  },
  GB: {
    names: `Uk, Ukay, Great Britain, Britain, GB, GBR, Royaume-Uni, Vereinigtes Königreich, Grossbritannien, Großbritannien, Gran Bretaña,
      Grande-Bretagne, Brexit Britain, Blighty, United Kingdom of Great Britain and Northern Ireland, UKGB`,
    postcodeLetters: 'GB, UK',
    regions: `England = Inglaterra, Angleterre, ~Cornwall, ~Yorkshire, ~East Anglia, ~Midlands, ~West Midlands, ~East Midlands, ~West Country, ~Cotswolds,
      ~Home Counties, ~Lake District, ~Isle of Wight, ~Merseyside, ~Tyneside, ~Lancashire, ~Kent, ~Sussex, ~Surrey, ~Essex, ~Devon, ~Norfolk, ~Suffolk,
      ~Northumberland, ~Shropshire, ~Cumbria, ~Dorset, ~Somerset; Scotland = Écosse, Escocia, Schottland, Alba, ~Highlands, ~Scottish Highlands, ~Orkney, ~Shetland,
      ~Isle of Skye; Wales = Cymru, Pays de Galles, Gales; Northern Ireland = NI, N. Ireland, Ulster, Irlande du Nord, Nordirland`,
    cities:
      'London = LDN, Londinium, Brixton, Hackney, Camden, Tottenham; Manchester = MCR; Birmingham = Brum; Newcastle upon Tyne = Newcastle, NCL',
  },
  GR: { names: 'Hellas, Ellada, Hellenic Republic', regions: 'Crete = Kreta, Creta, Crète' },
  HK: { names: 'Hong Kong, HKSAR, HKG, 香港' },
  HU: { names: 'Magyarország', postcodeLetters: 'H' },
  ID: {
    names: 'NKRI, Republic of Indonesia, Republik Indonesia',
    regions: `Bali = Pulau Bali; Jakarta = DKI Jakarta, DKI; West Java = Jawa Barat, Jabar; East Java = Jawa Timur, Jatim;
      Central Java = Jawa Tengah, Jateng; Yogyakarta = DIY; North Sumatra = Sumatera Utara; South Sulawesi = Sulawesi Selatan`,
    cities: 'Yogyakarta = Jogja, Jogjakarta',
  },
  IE: {
    names:
      'Eire, Éire, Republic of Ireland, ROI, Rep. of Ireland, Southern Ireland, Irland, Irlanda, Emerald Isle',
  },
  IM: { names: 'Isle of Man' },
  IN: {
    names: 'Bharat, Bharath, Hindustan, Hindusthan, IND, Republic of India, भारत, Incredible India',
    regions: `Andhra Pradesh = AP, Andhra; Arunachal Pradesh = AR; Assam = AS; Bihar = BR; Chhattisgarh = CG; Delhi = NCR, Delhi NCR, DL; Goa = GA;
      Gujarat = GJ; Haryana = HR; Himachal Pradesh = HP, Himachal; Jammu and Kashmir = J&K, JK, ~Kashmir, Jammu & Kashmir; Jharkhand = JH, झारखण्ड, झारखंड;
      Karnataka = KA; Kerala = KL; Madhya Pradesh = MP; Maharashtra = MH, महाराष्ट्र; Odisha = Orissa, OR; Puducherry = Pondicherry; Punjab = PB;
      Rajasthan = RJ, राजस्थान; Tamil Nadu = TN, Tamilnadu; Telangana = TS, TG; Uttar Pradesh = UP, उत्तर प्रदेश; Uttarakhand = UK, Uttaranchal;
      West Bengal = WB`,
    cities: `Bengaluru = BLR, Bangalore; Mumbai = BOM, Bombay; Chennai = Madras; Kolkata = Calcutta; Delhi = Dilli; New Delhi = N. Delhi;
      Gurgaon = Gurugram; Alappuzha = Aleppey, Alleppey; Hyderabad = HYD`,
  },
  IR: { names: 'جمهوری اسلامی ایران, Persia, Islamic Republic of Iran' },
  IT: {
    names: 'Italia, ITA, Italie, Italien',
    postcodeLetters: 'I, IT',
    regions: `Abruzzo = Abruzzen; Aosta Valley = Valle d'Aosta; Apulia = Puglia; Basilicate = Basilicata; Emilia-Romagna = ~Emilia, ~Romagna;
      Friuli Venezia Giulia = ~Friuli; Lazio = Latium; Lombardy = Lombardia, Lombardei; Piedmont = Piemonte; Sardinia = Sardegna, Sardinien;
      Sicily = Sicilia, Sizilien; The Marches = Marche, Le Marche; Trentino-Alto Adige = ~Trentino, ~Alto Adige, ~Südtirol, ~South Tyrol;
      Tuscany = Toscana, Toskana; Umbria = Umbrien; Veneto = Venetien; Liguria = Ligurien; Campania = Kampanien`,
  },
  JM: { names: 'Yaad, Jamrock' },
  JP: {
    names: 'Nippon, Nihon, 日本国, JPN, Japon',
    regions: `Hokkaido = 北海道; Aomori = 青森; Iwate = 岩手; Miyagi = 宮城; Akita = 秋田; Yamagata = 山形; Fukushima = 福島; Ibaraki = 茨城; Tochigi = 栃木;
      Gunma = 群馬; Saitama = 埼玉; Chiba = 千葉; Tokyo = 東京, 東京都; Kanagawa = 神奈川; Niigata = 新潟; Toyama = 富山; Ishikawa = 石川; Fukui = 福井;
      Yamanashi = 山梨; Nagano = 長野; Gifu = 岐阜; Shizuoka = 静岡; Aichi = 愛知; Mie = 三重; Shiga = 滋賀; Kyoto = 京都, 京都府; Osaka = 大阪, 大阪府;
      Hyōgo = 兵庫, Hyogo; Nara = 奈良; Wakayama = 和歌山; Tottori = 鳥取; Shimane = 島根; Okayama = 岡山; Hiroshima = 広島; Yamaguchi = 山口;
      Tokushima = 徳島; Kagawa = 香川; Ehime = 愛媛; Kochi = 高知; Fukuoka = 福岡; Saga = 佐賀; Nagasaki = 長崎; Kumamoto = 熊本; Oita = 大分;
      Miyazaki = 宮崎; Kagoshima = 鹿児島; Okinawa = 沖縄`,
  },
  KP: { names: 'North Korea, DPRK, Nordkorea, Corée du Nord, Corea del Norte' },
  KR: {
    names:
      'South Korea, S. Korea, Republic of Korea, ROK, Korea, 한국, 대한민국, Corea, Südkorea, Corée',
    regions: `Seoul = 서울; Busan = 부산; Daegu = 대구; Incheon = 인천; Gwangju = 광주; Daejeon = 대전; Ulsan = 울산; Gyeonggi-do = 경기, 경기도, Gyeonggi;
      Jeju-do = 제주, 제주도, Jeju; Gangwon-do = 강원, 강원도`,
  },
  LU: { postcodeLetters: 'L' },
  MA: { names: 'المملكة المغربية, المغرب, Maroc, Marruecos, Royaume du Maroc, Kingdom of Morocco' },
  MK: { names: 'Macedonia, North Macedonia, FYROM, Makedonija' },
  MM: { names: 'Burma, Myanmar' },
  MX: {
    names: 'Méjico, México, Estados Unidos Mexicanos, MEX',
    regions: `México = Estado de México, Edomex, State of Mexico; Mexico City = Ciudad de México, CDMX, D.F., DF, Distrito Federal;
      Jalisco = JAL; Nuevo León = NL, Nuevo Leon; Querétaro = QRO, Queretaro; Puebla = PUE; Quintana Roo = QROO, Q. Roo; Veracruz = VER;
      Yucatán = YUC; Baja California = BC; Guanajuato = GTO; Michoacán = MICH; Sinaloa = SIN; Chihuahua = CHIH; Coahuila = COAH`,
    cities:
      'Mexico City = CDMX, D.F., Ciudad de México, DF, México DF, Mexico DF, Mexico D.F.; Guadalajara = GDL; Monterrey = MTY',
  },
  MY: {
    regions:
      'Selangor = SGR; Penang = Pulau Pinang; Melaka = Malacca; Kuala Lumpur = KL, WP Kuala Lumpur',
    cities: 'Kuala Lumpur = KL; Johor Bahru = JB, Johor Bharu',
  },
  NG: {
    names: '9ja, Naija, Nija, Federal Republic of Nigeria',
    cities: 'Lagos = Lasgidi, Eko; Port Harcourt = PH City, PHC',
  },
  NL: {
    names:
      'Holland, The Netherlands, Nederland, Netherland, Niederlande, Pays-Bas, Hollande, Países Bajos, Holanda, Nederlands, Koninkrijk der Nederlanden',
    postcodeLetters: 'NL',
    regions: `South Holland = Zuid-Holland, ZH; North Holland = Noord-Holland, NH; North Brabant = Noord-Brabant, Brabant, NB;
      Friesland = Fryslân, Frisia; Zeeland = ~Zeeuws-Vlaanderen; Limburg = Zuid-Limburg; Gelderland = Guelders`,
    cities:
      'The Hague = Den Haag, La Haye, La Haya; Amsterdam = AMS, Mokum; Rotterdam = Rotjeknor, Roffa',
  },
  NO: { names: 'Norge, Noreg', postcodeLetters: 'N' },
  NZ: { names: 'Aotearoa, NZL, N.Z., New Zeland, Nueva Zelanda', regions: 'Canterbury = Canty' },
  PH: {
    names:
      'Philippines, Republic of the Philippines, Pilipinas, PHL, Pinas, Phils, Phillipines, Philippine',
    regions: 'National Capital Region = NCR, Metro Manila; Central Visayas = Cebu Province',
    cities: 'Makati City = Makati',
  },
  PK: {
    names: 'PAK, Islamic Republic of Pakistan, Pakistan Zindabad',
    regions:
      'Khyber Pakhtunkhwa = KPK, KP; Punjab = پنجاب; Sindh = Sind; Azad Kashmir = AJK; Balochistan = Baluchistan',
  },
  PL: { names: 'Polska, Rzeczpospolita Polska', postcodeLetters: 'PL' },
  PA: { cities: 'Panamá = PTY, Panama City' },
  PR: { names: 'Puerto Rico, P.R., Borinquen' },
  PS: {
    names:
      'Palestine, State of Palestine, Palestina, Palästina, Palestinian Territories, فلسطين, Occupied Palestine',
    regions: 'Gaza Strip = Gaza; West Bank = Cisjordanie',
  },
  PT: {
    names: 'República Portuguesa',
    postcodeLetters: 'P',
    regions: 'Azores = Açores; Madeira = Ilha da Madeira; Faro = ~Algarve',
  },
  RU: {
    names: 'Россия, РФ, Russian Federation, Russland, Российская Федерация',
    regions:
      'Moscow = Подмосковье; St.-Petersburg = Питер; Tatarstan Republic = Tatarstan; Krasnodar Krai = Kuban',
    cities: 'Saint Petersburg = SPB, St. Petersburg, Питер, СПб; Moscow = MSK, МСК',
  },
  SA: {
    names:
      'Ksa, Saudi, Kingdom of Saudi Arabia, السعودية, المملكة العربية السعودية, السعوديه, Saudia',
  },
  SE: {
    names: 'Sverige, Konungariket Sverige',
    postcodeLetters: 'S, SE',
    cities: 'Stockholm = STHLM, Sthlm; Göteborg = GBG',
  },
  SG: { names: 'Republic of Singapore' },
  SK: { names: 'Slovak Republic, Slovensko', postcodeLetters: 'SK' },
  SY: { names: 'Syria, Syrian Arab Republic, سوريا, سورية' },
  SZ: { names: 'Swaziland, Eswatini' },
  TR: { names: 'Turkey, Türkiye, Turkiye, Türkei, Turquie, TUR', cities: 'Istanbul = İst' },
  TT: { names: 'Trinidad, Trinidad and Tobago, Trinidad & Tobago, Tobago, T&T, TnT, Trini' },
  TW: { names: 'Taiwan, R.O.C., ROC, Formosa, 台灣, 臺灣, 台湾' },
  TZ: { names: 'Tanzania, United Republic of Tanzania' },
  UA: { names: 'Ukraine, Україна, UKR, The Ukraine', cities: 'Kyiv = Kiev, Kiew' },
  US: {
    names: `Usa, US, United States, United States of America, America, The States, US of A, Etats-Unis, États-Unis d'Amérique,
      Estados Unidos, EE.UU., EEUU, EUA, Vereinigte Staaten, Vereinigte Staaten von Amerika, Amerika, Merica, Murica, USofA,
      الولايات المتحدة, الولايات المتحدة الامريكية, الولايات المتحدة الأمريكية, امريكا, أمريكا, Continental US, Stati Uniti, Unites States`,
    regions: `California = Calif, Cali, ~SoCal, ~NorCal, ~Southern California, ~Northern California, ~Bay Area, ~Silicon Valley, ~Orange County;
      Alabama = Ala; Arizona = Ariz; Arkansas = Ark; Colorado = Colo; Connecticut = Conn; Florida = Fla; Illinois = Ill; Kansas = Kans;
      Massachusetts = Mass, ~Cape Cod; Michigan = Mich; Minnesota = Minn; Mississippi = Miss; Missouri = MO; Nebraska = Neb; Oklahoma = Okla;
      Oregon = Ore; Pennsylvania = Penn, Penna; Tennessee = Tenn; Texas = Tex; Virginia = NoVA, ~Northern Virginia; Washington = Wash, Washington State;
      Wisconsin = Wis, Wisc; New York = NY, N.Y., ~Long Island, ~Upstate New York; New Jersey = Jersey, NJ;
      District of Columbia = DC, D.C.; Hawaii = ~Maui, ~Oahu, ~Kauai, ~Big Island`,
    cities: `New York City = Nyc, Big Apple, Manhattan, Brooklyn, The Bronx, Queens, Staten Island; Los Angeles = LA, L.A., Hollywood CA; San Francisco = SF, San Fran, Frisco;
      Philadelphia = Philly, Phila; Washington = Washington DC, Washington D.C., DC; Chicago = Chi-town, Chitown, Chi Town; Las Vegas = Vegas;
      New Orleans = NOLA; Atlanta = ATL; Dallas = DFW; Minneapolis = Mpls; Detroit = Motown; Portland = PDX; Boston = Beantown`,
  },
  VA: { names: 'Vatican, Holy See, Vatikan' },
  VE: { names: 'Venezuela, República Bolivariana de Venezuela' },
  VN: {
    names: 'Viet Nam, Vietnam',
    cities: 'Ho Chi Minh City = HCMC, Saigon, TP HCM, TPHCM; Hanoi = Ha Noi',
  },
  XK: { names: 'Kosovo, Kosova, Косово' },
  ZA: {
    names: 'RSA, South Africa, S. Africa, Republic of South Africa, Mzansi, Suid-Afrika',
    regions: 'Gauteng = GP; KwaZulu-Natal = KZN, ~Natal; Western Cape = WC; Eastern Cape = EC',
    cities:
      'Johannesburg = Joburg, Jozi, JHB; Cape Town = CPT; Pretoria = PTA, Tshwane; Durban = DBN',
  },
};

/**
 * Words that say nothing: articles, prepositions, directions, kinds of areas and words of formal names, in the
 * languages that are written most.
 */
export const ignoredWords = `
  the a an of in at on from near by around and & to for my me i is am was are we now currently live living lives based born currently lived
  la le les l de del des du da do dos das di della d el los las y e et und and o en à au aux dans près près dem der die das den im am aus bei von vom zu zur
  north south east west northern southern eastern western central upper lower inner outer greater metro metropolitan downtown uptown midtown
  northeast northwest southeast southwest nord sud süd est ost oeste norte sur este westside eastside northside southside up upstate
  city town village area region province state county district prefecture suburb suburbs cbd side island islands isle country municipality capital
  ville région département canton kanton land kreis landkreis stadt hansestadt provincia región estado ciudad cidade comune municipio bairro centro
  republic rep republik république república kingdom federal democratic islamic people's royaume reino bundesrepublik federation commonwealth
  دولة جمهورية المملكة مدينة محافظة ولاية في من
  america asia africa europe europa afrique asie amérique américa south-america north-america eu scandinavia balkans middle caribbean latin
  arrondissement postcode zip district bezirk quartier cedex
  省 市 县 縣 区 區 都 府 県 道 州 国 郡 町 村 시 도 구 군 동`;

/** Words that people write instead of a place. They are names of places only beside another name. */
export const noPlaces = `
  earth mars moon world worldwide planet internet web online cyberspace home house here there everywhere anywhere nowhere somewhere elsewhere
  wherever remote global universe galaxy space heaven hell paradise wonderland hogwarts narnia wakanda gotham neverland limbo matrix void
  she her hers he him his they them their it its any all she/her he/him they/them citizen born bed couch kitchen work office school bar
  cloud sky sun sea ocean beach mountains forest nature monde terre welt erde mundo tierra love peace freedom liberty hope faith happy lost wanderer
  hiding secret private unknown none null na undefined various many multiple other`;
