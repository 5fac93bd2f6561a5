import { catalog } from '../../platform/pages/catalog.ts';

export const accountTexts = catalog({
  en: {
    email: 'Email address',
    password: 'Password',
    forgot: 'Forgot your password?',
    new_here: 'New here?',
  },
  fr: {
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    forgot: 'Mot de passe oublié ?',
    new_here: 'Nouveau ici ?',
  },
  es: {
    email: 'Dirección de correo',
    password: 'Contraseña',
    forgot: '¿Ha olvidado la contraseña?',
    new_here: '¿Es la primera vez?',
  },
  de: {
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    forgot: 'Passwort vergessen?',
    new_here: 'Neu hier?',
  },
  ar: {
    email: 'البريد الإلكتروني',
    password: 'كلمة المرور',
    forgot: 'هل نسيت كلمة المرور؟',
    new_here: 'جديد هنا؟',
  },
});
