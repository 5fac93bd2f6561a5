import { networkOf, type Quota } from '../../platform/limits.ts';
import type { Route } from '../../platform/http/route.ts';
import { previewField, previewPath } from '../../platform/pages/editor.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { htmlType } from '../../platform/pages/page.ts';
import { invalidValue } from '../../platform/problems.ts';
import { maxDescriptionLength } from '../../campaigns/petitions/schema.ts';
import { textOf, type Site } from './page-routes.ts';

/** A person who looks at each sentence needs about 10 a minute. */
const previewQuota: Quota = { name: 'preview', points: 120, durationSeconds: 600 };

/** Renders the text of an editor, as pages will show it. */
export const previewForm = (site: Site): Route =>
  site.form({
    id: 'previewText',
    path: previewPath,
    access: 'anyone',
    changesNothing: true,
    async act({ ctx, header, ip, viewer }, { fields }) {
      const text = textOf(fields, previewField);
      if (text.length > maxDescriptionLength) {
        throw invalidValue(previewField, `It may have ${maxDescriptionLength} characters.`);
      }
      await ctx.limits.take(
        previewQuota,
        viewer?.user.id ?? networkOf(ip),
        'Too many previews in ten minutes.',
      );
      header('cache-control', 'no-store');
      return { mediaType: htmlType, body: markdownText(text, ctx.config).text };
    },
  });
