import { findCategory } from '../../campaigns/categories/categories.ts';
import {
  changeAnonymousDraft,
  claimAnonymousDraft,
  createAnonymousDraft,
  deleteAnonymousDraft,
  findAnonymousDraft,
  withMaker,
  type DraftContent,
  type DraftRef,
} from '../../campaigns/anonymous-drafts/anonymous-drafts.ts';
import { addMaker, removeMaker } from '../../campaigns/decision-makers/decision-makers.ts';
import { findOwnPetition, petitionExists } from '../../campaigns/petitions/read.ts';
import type {
  DecisionMakerInput,
  Petition,
  PetitionInput,
  PetitionUpdate,
} from '../../campaigns/petitions/schema.ts';
import {
  createOrChangePetition,
  updatePetition,
  type EditablePetition,
} from '../../campaigns/petitions/write.ts';
import { isUuid } from '../../platform/ids.ts';
import { notFound, Problem } from '../../platform/problems.ts';
import { petitionPath } from '../dashboard/dashboard.ts';
import { isOwnView, loginNeeded, type OwnView, type View } from '../site/site.ts';
import { draftToken, ensureDraftToken } from './draft-cookie.ts';

/** A draft as the steps show it: of the viewer's account, or of a browser without one. */
export interface Draft
  extends
    Omit<EditablePetition, 'category'>,
    Pick<Petition, 'id' | 'creator' | 'decision_makers' | 'category'> {
  /** Whether it has no account yet. */
  isAnonymous: boolean;
  /** Of an anonymous draft: the name for the account that was asked for. */
  creatorName?: string | undefined;
}

/**
 * Returns a draft; the path of its dashboard page if it is no draft any more; undefined if the viewer has none of this id.
 * @throws {Problem} `loginNeeded` if it belongs to an account, and nobody is logged in
 */
export async function findDraft(view: View, id: string): Promise<Draft | string | undefined> {
  const { ctx, viewer } = view;
  if (!isUuid(id)) return undefined;
  const own = viewer && (await findOwnPetition(ctx, viewer.caller, id));
  if (own) return own.status === 'draft' ? { ...own, isAnonymous: false } : petitionPath(own);
  const ref = await refOf(view, id);
  const content = ref && (await findAnonymousDraft(ctx, ref));
  if (content) return anonymousDraft(view, id, content);
  if (!viewer && (await petitionExists(ctx, id))) throw loginNeeded();
  return undefined;
}

/** @throws {Problem} not-found; as `findDraft` */
export async function requireDraft(view: View, id: string): Promise<Draft | string> {
  const draft = await findDraft(view, id);
  if (draft === undefined) throw notFound('draft');
  return draft;
}

/** Stores the text of a draft, which may be new. */
export async function saveText(view: View, id: string, input: PetitionInput): Promise<void> {
  const { ctx, ip } = view;
  if (!isUuid(id)) throw notFound('draft');
  if (isOwnView(view)) {
    await claimDraft(view, id);
    await createOrChangePetition(ctx, view.viewer.caller, id, input);
    return;
  }
  if (await petitionExists(ctx, id)) throw loginNeeded();
  const ref = { id, token: await ensureDraftToken(view) };
  if (await findAnonymousDraft(ctx, ref)) {
    await changeAnonymousDraft(ctx, ref, (stored) => ({ ...stored, ...input }));
  } else await createAnonymousDraft(ctx, ref, { ip, content: { ...input, makers: [] } });
}

/** Deletes an anonymous draft of the browser, if it has it. */
export async function discardDraft(view: View, id: string): Promise<void> {
  const ref = await refOf(view, id);
  if (ref) await deleteAnonymousDraft(view.ctx, ref);
}

/** What a step changes besides the text. */
export interface DraftChanges {
  details: PetitionUpdate;
  /** To be added. */
  maker?: DecisionMakerInput | undefined;
  /** Id of a decision maker to be removed. */
  removedMaker?: string | undefined;
}

/** Stores changes of a draft. A decision maker whose address is in the list already changes nothing: the form was sent twice. */
export async function changeDraft(
  view: View,
  id: string,
  { details, maker, removedMaker }: DraftChanges,
): Promise<void> {
  const { ctx } = view;
  if (!isOwnView(view)) {
    await changeAnonymousDraft(ctx, await requireRef(view, id), (stored) => {
      const content = { ...stored, ...withoutNulls(details, stored) };
      const makers = content.makers.filter((one) => one.id !== removedMaker);
      const changed = { ...content, makers };
      return maker ? (unlessAdded(() => withMaker(changed, maker)) ?? changed) : changed;
    });
    return;
  }
  const { caller } = view.viewer;
  await claimDraft(view, id);
  await updatePetition(ctx, caller, id, details);
  if (removedMaker) await removeMaker(ctx, caller, { ref: id, makerId: removedMaker });
  if (maker) await addMaker(ctx, caller, id, maker).catch(undefinedIfAdded);
}

/** Remembers the name for the account that the writer of an anonymous draft asks for. */
export async function nameCreator(view: View, id: string, creatorName: string): Promise<void> {
  const ref = await requireRef(view, id);
  await changeAnonymousDraft(view.ctx, ref, (stored) => ({ ...stored, creatorName }));
}

/** Makes an anonymous draft the viewer's petition. Returns false if the browser has none of this id. */
export async function claimDraft(view: OwnView, id: string): Promise<boolean> {
  const ref = await refOf(view, id);
  return ref !== undefined && claimAnonymousDraft(view.ctx, view.viewer.caller, ref);
}

async function refOf(view: View, id: string): Promise<DraftRef | undefined> {
  const token = await draftToken(view);
  return token === undefined || !isUuid(id) ? undefined : { id, token };
}

async function requireRef(view: View, id: string): Promise<DraftRef> {
  const ref = await refOf(view, id);
  if (!ref) throw notFound('draft');
  return ref;
}

async function anonymousDraft(view: View, id: string, content: DraftContent): Promise<Draft> {
  const { makers, creatorName, categoryId, ...input } = content;
  return {
    id,
    isAnonymous: true,
    creatorName,
    title: input.title,
    description: input.description,
    language: input.language ?? null,
    category: (categoryId && (await findCategory(view.ctx, categoryId, view.language))) || null,
    tags: input.tags ?? [],
    image_url: null,
    image_alt: null,
    signature_goal: input.signatureGoal ?? null,
    visibility: input.visibility ?? 'public',
    signature_privacy: input.signaturePrivacy ?? 'public',
    location_city: input.locationCity ?? null,
    location_region: input.locationRegion ?? null,
    location_country: input.locationCountry ?? null,
    org_id: null,
    status: 'draft',
    published_at: null,
    closes_at: input.closesAt ?? null,
    creator: null,
    decision_makers: makers.map(({ title, ...maker }) => ({
      ...maker,
      title: title ?? null,
      verified: false,
    })),
  };
}

/** The input with changes; a detail that becomes null is left out. */
function withoutNulls(changes: PetitionUpdate, stored: PetitionInput): PetitionInput {
  const merged = Object.entries({ ...stored, ...changes });
  return Object.fromEntries(merged.filter(([, value]) => value !== null)) as PetitionInput;
}

function unlessAdded<T>(add: () => T): T | undefined {
  try {
    return add();
  } catch (error) {
    return undefinedIfAdded(error);
  }
}

function undefinedIfAdded(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== 'already_added') throw error;
}
