import { catalog } from '../../platform/pages/catalog.ts';

export const homeTexts = catalog({
  en: {
    title: 'Petitions that count',
    lead: 'Start a petition, sign with others, and see what comes of it. Every signature counts exactly once.',
    trending: 'Trending now',
    newest: 'New',
    victories: 'Victories',
    all: 'See all',
    none: 'Nothing here yet. Be the first.',
  },
  fr: {
    title: 'Des pétitions qui comptent',
    lead: 'Lancez une pétition, signez avec d’autres et voyez ce qui en résulte. Chaque signature compte exactement une fois.',
    trending: 'En ce moment',
    newest: 'Nouvelles',
    victories: 'Victoires',
    all: 'Tout voir',
    none: 'Rien ici pour l’instant. À vous de commencer.',
  },
  es: {
    title: 'Peticiones que cuentan',
    lead: 'Cree una petición, firme con otras personas y vea qué se consigue. Cada firma cuenta exactamente una vez.',
    trending: 'Tendencias',
    newest: 'Nuevas',
    victories: 'Victorias',
    all: 'Ver todo',
    none: 'Aún no hay nada. Dé usted el primer paso.',
  },
  de: {
    title: 'Petitionen, die zählen',
    lead: 'Starten Sie eine Petition, unterschreiben Sie mit anderen und sehen Sie, was daraus wird. Jede Unterschrift zählt genau einmal.',
    trending: 'Gerade gefragt',
    newest: 'Neu',
    victories: 'Erfolge',
    all: 'Alle ansehen',
    none: 'Noch ist nichts hier. Machen Sie den Anfang.',
  },
  ar: {
    title: 'عرائض لها أثر',
    lead: 'أنشئ عريضة، ووقّع مع الآخرين، وتابع ما ينتج عنها. كل توقيع يُحسب مرة واحدة بالضبط.',
    trending: 'الأكثر رواجًا الآن',
    newest: 'الجديد',
    victories: 'انتصارات',
    all: 'عرض الكل',
    none: 'لا شيء هنا بعد. كن أول من يبدأ.',
  },
});
