import answerExamples from './answer-examples.json' with { type: 'json' };
import { apiTags } from './api-tags.ts';
import type { FastifyInstance } from 'fastify';
import { categoriesSlice } from './campaigns/categories/slice.ts';
import { answerOpinionsSlice } from './campaigns/answer-opinions/slice.ts';
import { commentsSlice } from './campaigns/comments/slice.ts';
import { followsSlice } from './campaigns/follows/slice.ts';
import { organizerContactSlice } from './campaigns/organizer-contact/slice.ts';
import { evictAllPetitions } from './campaigns/petitions/cache.ts';
import { lockPetitionsOfOrganization } from './campaigns/petitions/state.ts';
import type { RecordRead } from './campaigns/petitions/read.ts';
import type { PictureOwners } from './campaigns/media/media.ts';
import { mediaSlice } from './campaigns/media/slice.ts';
import { organizersSlice } from './campaigns/organizers/slice.ts';
import { petitionImage } from './campaigns/petitions/image.ts';
import { decisionMakersSlice } from './campaigns/decision-makers/slice.ts';
import { petitionsSlice } from './campaigns/petitions/slice.ts';
import { Confirmation } from './campaigns/pending-signatures/pending-signatures.ts';
import { pendingSignaturesSlice } from './campaigns/pending-signatures/slice.ts';
import { SignatureWriter } from './campaigns/signatures/signatures.ts';
import { sharesSlice } from './campaigns/shares/slice.ts';
import { VisitCounter } from './campaigns/shares/visits.ts';
import { signaturesSlice, signatureWithdrawalsSlice } from './campaigns/signatures/slice.ts';
import { signingBlocksSlice } from './campaigns/signing-blocks/slice.ts';
import { avatarImage } from './identity/accounts/avatar.ts';
import { updateImage } from './campaigns/updates/updates.ts';
import { updatesSlice } from './campaigns/updates/slice.ts';
import { integritySlice } from './oversight/integrity/slice.ts';
import { accountsSlice } from './identity/accounts/slice.ts';
import { captchaSlice } from './identity/captcha/slice.ts';
import { deleteAllKeys, deleteKeysSince, namesOfKeys } from './identity/api-keys/api-keys.ts';
import { KeyCallers, presentedKey } from './identity/api-keys/key-callers.ts';
import { anonymousDraftsSlice } from './campaigns/anonymous-drafts/slice.ts';
import { apiKeysSlice } from './identity/api-keys/slice.ts';
import {
  organizationCover,
  organizationLogo,
  type OrganizationsDeps,
} from './identity/organizations/organizations.ts';
import { organizationsSlice } from './identity/organizations/slice.ts';
import { deleteGrants, deleteOAuthAccess } from './identity/oauth/grants.ts';
import { FirstProof } from './identity/first-proof/first-proof.ts';
import { firstProofSlice } from './identity/first-proof/slice.ts';
import { rememberRegistration } from './identity/browser-sessions/browser-sessions.ts';
import { oauthSlice } from './identity/oauth/slice.ts';
import { endByRefreshToken } from './identity/oauth/introspection.ts';
import { cancelPendingChanges, Credentials } from './identity/credentials/credentials.ts';
import { credentialsSlice } from './identity/credentials/slice.ts';
import { proveOwner } from './identity/mail-challenges/mail-challenges.ts';
import { mailChallengesSlice } from './identity/mail-challenges/slice.ts';
import { Recovery } from './identity/recovery/recovery.ts';
import { recoverySlice } from './identity/recovery/slice.ts';
import { Sessions } from './identity/sessions/sessions.ts';
import { MailReports } from './identity/mail-reports/mail-reports.ts';
import { mailReportsSlice } from './identity/mail-reports/slice.ts';
import { stoppingMailSlice } from './identity/stopping-mail/slice.ts';
import { sessionsSlice } from './identity/sessions/slice.ts';
import { FileBlobs } from './platform/blobs/files.ts';
import { receivingSlice } from './platform/blobs/receiving.ts';
import { auditSlice } from './oversight/audit/slice.ts';
import { findDecidedComplaints, findDecisions } from './oversight/decisions/decisions.ts';
import { decisionsSlice } from './oversight/decisions/slice.ts';
import { registerModerationGauges } from './oversight/metrics/queue-gauges.ts';
import { metricsSlice } from './oversight/metrics/slice.ts';
import { moderationSlice } from './oversight/moderation/slice.ts';
import { reportQueueSlice } from './oversight/report-queue/slice.ts';
import {
  pendingReportsSlice,
  reportContactsSlice,
  reportsSlice,
} from './oversight/reports/slice.ts';
import { offerSetup } from './oversight/setup/setup.ts';
import { setupSlice } from './oversight/setup/slice.ts';
import { sitePagesSlice } from './oversight/site-pages/slice.ts';
import { siteSettingsSlice } from './oversight/site-settings/slice.ts';
import { usersSlice } from './oversight/users/slice.ts';
import { warningTexts } from './oversight/warnings/warnings.ts';
import { warningsSlice } from './oversight/warnings/slice.ts';
import { Backfills } from './platform/backfills.ts';
import type { Context } from './platform/context.ts';
import { transaction, type Db, type Tx } from './platform/db.ts';
import { Followers } from './platform/followers.ts';
import type { Authenticate } from './platform/http/admission.ts';
import { describeApi } from './platform/http/openapi.ts';
import { buildServer } from './platform/http/server.ts';
import type { Route } from './platform/http/route.ts';
import { analyticsSlice } from './reach/analytics/slice.ts';
import { Views } from './reach/analytics/views.ts';
import { realtimeSlice } from './reach/realtime/slice.ts';
import { embedsSlice } from './reach/embeds/slice.ts';
import { signedCallbacks } from './reach/payments/payments.ts';
import { exportsSlice } from './reach/exports/slice.ts';
import { feedsSlice } from './reach/feeds/slice.ts';
import { paymentsSlice } from './reach/payments/slice.ts';
import { placesSlice } from './reach/places/slice.ts';
import { accountPagesSlice } from './web/account/slice.ts';
import { responsePortalSlice } from './web/response-portal/slice.ts';
import { settingsPagesSlice } from './web/settings/slice.ts';
import { complaintPagesSlice } from './web/complaints/slice.ts';
import { activitySlice } from './web/activity/slice.ts';
import { dashboardSlice } from './web/dashboard/slice.ts';
import { chartsSlice } from './web/charts/slice.ts';
import { profilePagesSlice } from './web/profiles/slice.ts';
import { sitemapSlice } from './web/sitemap/slice.ts';
import { browsePagesSlice } from './web/browse/slice.ts';
import { designSlice } from './web/design/slice.ts';
import { administrationSlice } from './web/administration/slice.ts';
import { iconsSlice } from './web/icons/slice.ts';
import { setupPagesSlice } from './web/setup/slice.ts';
import { homeSlice } from './web/home/slice.ts';
import { moderationPagesSlice } from './web/moderation/slice.ts';
import { Site } from './web/site/site.ts';
import { reportPagesSlice } from './web/reports/slice.ts';
import { siteSlice } from './web/site/slice.ts';
import { aboutSiteSlice } from './web/site-pages/slice.ts';
import { createPetitionSlice } from './web/create-petition/slice.ts';
import { organizationPagesSlice } from './web/organizations/slice.ts';
import { developerSlice } from './web/developer/slice.ts';
import { searchSlice } from './reach/search/slice.ts';
import { LogFiles } from './reach/transparency-log/log-files.ts';
import { registerLogGauges } from './reach/transparency-log/log-gauges.ts';
import { timelineSlice } from './reach/timeline/slice.ts';
import { transparencyLogSlice } from './reach/transparency-log/slice.ts';
import { petitionPagesSlice } from './web/petition/slice.ts';
import { petitionSheetSlice } from './web/petition-sheet/slice.ts';
import { publicLogPagesSlice } from './web/public-log/slice.ts';
import { assetsSlice } from './platform/pages/slice.ts';
import { isProcessRoute, platformSlice } from './platform/http/platform-routes.ts';
import { apiReferenceSlice } from './platform/api-reference/slice.ts';
import { startWorker, type JobWorker } from './platform/jobs.ts';
import { mailQueueReader, registerQueueGauges } from './platform/mail-queue.ts';
import type { Slice } from './platform/slice.ts';
import { webhooksSlice } from './reach/webhooks/slice.ts';
import { deleteAllEndpoints, hostsOfEndpoints } from './reach/webhooks/webhooks.ts';
import { notificationsSlice } from './reach/notifications/slice.ts';

export interface App {
  /** All declared routes. */
  routes: Route[];
  /** Builds the OpenAPI description. */
  describe(): object;
  sessions: Sessions;
  mailReports: MailReports;
  /** Makes the link by which a new instance is set up, if it needs one. Returns it where it is not mailed. */
  offerSetup(): Promise<string | undefined>;
  /** Starts background work of the slices. Call it before requests are served. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Serves all routes; a worker only serves health, readiness and metrics. */
  buildServer(): Promise<FastifyInstance>;
  /** Runs jobs, event followers and background workers. */
  startWorker(databaseUrl: string): Promise<JobWorker>;
}

/** Records that uploaded images can belong to. */
const pictureOwners: PictureOwners = {
  petition_image: petitionImage,
  petition_update_image: updateImage,
  user_avatar: avatarImage,
  org_logo: organizationLogo,
  org_cover: organizationCover,
};

const organizationsDeps: OrganizationsDeps = {
  lockPetitions: lockPetitionsOfOrganization,
  petitionsChanged: evictAllPetitions,
};

async function endKeysAndWebhooks(tx: Tx, userId: string): Promise<void> {
  await deleteAllKeys(tx, userId);
  await deleteAllEndpoints(tx, userId);
}

/** Builds the service from its slices. They start and erase accounts in this order, and stop in reverse order. */
export function createApp(ctx: Context): App {
  const sessions = new Sessions(ctx, cancelPendingChanges);
  const views = new Views(ctx);
  const keyCallers = new KeyCallers(ctx);
  const authenticate: Authenticate = (request) => {
    const key = presentedKey(request.headers);
    return key === undefined ? sessions.authenticate(request) : keyCallers.callerOf(key);
  };
  const endAccess = (userId: string, db: Db = ctx.db) =>
    transaction(db, async (tx) => {
      await sessions.endAllSessions(tx, userId);
      await deleteOAuthAccess(tx, sessions, userId);
      await endKeysAndWebhooks(tx, userId);
    });
  const firstProof = new FirstProof({
    sessions,
    holders: () => holders(),
    async endAccess(userId, tx) {
      await endAccess(userId, tx);
      await sessions.revokeAccess(tx, [userId]);
    },
  });
  const recovery = new Recovery({
    sessions,
    firstProof,
    endGrants: (tx, userId) => deleteGrants(tx, sessions, userId),
    endKeysAndWebhooks,
    listAccess: async (db, userId) => ({
      apiKeys: await namesOfKeys(db, userId),
      webhooks: await hostsOfEndpoints(db, userId),
    }),
  });
  const credentials = new Credentials({
    sessions,
    firstProof,
    async endAccessSince(tx, userId, since) {
      await sessions.endSessionsSince(tx, userId, since);
      await deleteGrants(tx, sessions, userId, since);
      await deleteKeysSince(tx, userId, since);
    },
  });
  const site = new Site(sessions);
  const writer = new SignatureWriter(ctx);
  const confirmation = new Confirmation(writer, firstProof);
  const holders = () => slices.flatMap((slice) => slice.personalData ?? []);
  const provider = signedCallbacks(ctx.config.paymentSecret);
  const visits = new VisitCounter(ctx);
  const noteRead: RecordRead = (petition, read) => {
    views.record(petition, read);
    visits.note(read, petition.slug);
  };
  const mailReports = new MailReports(ctx, () => slices.flatMap(({ onBounce }) => onBounce ?? []));
  const { transparencyLog } = ctx.config;
  const logFiles = transparencyLog && new LogFiles(ctx.blobs, transparencyLog.origin);
  const figures = { readMailQueue: (db: Db) => readMailQueue(db) };
  const slices: Slice[] = [
    accountsSlice(ctx, {
      holders,
      proveOwner,
      rememberRegistration,
      endAccess,
      restore: (userId) => sessions.setSuspended(ctx.db, userId, false),
    }),
    sessionsSlice(ctx, sessions, {
      endByRefreshToken: (within, userId, token) =>
        endByRefreshToken(within, sessions, token, ({ user_id }) => user_id === userId),
    }),
    recoverySlice(ctx, recovery),
    mailChallengesSlice(ctx, sessions, firstProof),
    firstProofSlice(ctx, firstProof, holders),
    credentialsSlice(ctx, credentials),
    stoppingMailSlice(),
    mailReportsSlice(mailReports),
    captchaSlice(ctx),
    apiKeysSlice(ctx, keyCallers),
    oauthSlice(ctx, sessions),
    categoriesSlice(),
    // Before petitions, which erase those of an account that nobody takes over.
    organizersSlice(ctx),
    petitionsSlice(ctx, noteRead),
    // After petitions: erasing an account locks petitions before organizations.
    organizationsSlice(organizationsDeps),
    followsSlice(),
    organizerContactSlice(ctx),
    sharesSlice(ctx, visits),
    signingBlocksSlice(),
    signaturesSlice(ctx, writer),
    signatureWithdrawalsSlice(),
    pendingSignaturesSlice(ctx, confirmation),
    commentsSlice(),
    updatesSlice(),
    anonymousDraftsSlice(ctx),
    mediaSlice(ctx, pictureOwners),
    ...(ctx.blobs instanceof FileBlobs ? [receivingSlice(ctx.blobs)] : []),
    notificationsSlice(ctx, {
      warningTexts,
      decisions: findDecisions,
      complaints: findDecidedComplaints,
    }),
    decisionMakersSlice(ctx),
    responsePortalSlice(),
    answerOpinionsSlice(),
    realtimeSlice(ctx, authenticate),
    embedsSlice(),
    paymentsSlice(provider),
    exportsSlice(),
    feedsSlice(),
    searchSlice(ctx),
    placesSlice(),
    timelineSlice(),
    transparencyLogSlice(ctx, logFiles),
    publicLogPagesSlice(site, logFiles),
    petitionPagesSlice(site, { writer, confirmation, noteRead, logFiles }),
    petitionSheetSlice(site),
    siteSlice(ctx, site, pictureOwners),
    aboutSiteSlice(site),
    chartsSlice(),
    homeSlice(site),
    ...(ctx.config.production ? [] : [designSlice(site)]),
    sitemapSlice(ctx, () => routes),
    browsePagesSlice(site),
    profilePagesSlice(site),
    reportPagesSlice(site),
    accountPagesSlice(site, { recovery, credentials, firstProof, holders }),
    activitySlice(site),
    complaintPagesSlice(site),
    settingsPagesSlice(site, { holders, images: pictureOwners, credentials }),
    createPetitionSlice(site, { pictureOwners, firstProof }),
    developerSlice(site, keyCallers),
    organizationPagesSlice(site, { ...organizationsDeps, pictureOwners }),
    dashboardSlice(site, { pictureOwners, provider }),
    moderationPagesSlice(site, figures),
    administrationSlice(site, figures),
    setupPagesSlice(site),
    iconsSlice(),
    webhooksSlice(ctx),
    analyticsSlice(ctx, views),
    reportsSlice(ctx),
    pendingReportsSlice(),
    reportContactsSlice(),
    reportQueueSlice(sessions),
    moderationSlice(ctx),
    warningsSlice(),
    decisionsSlice(ctx, sessions),
    usersSlice(ctx, sessions),
    auditSlice(),
    siteSettingsSlice(ctx),
    setupSlice(ctx),
    sitePagesSlice(ctx),
    metricsSlice(figures),
    integritySlice(ctx),
    platformSlice(ctx, () => describe()),
    apiReferenceSlice(ctx, () => describe()),
  ];
  slices.push(assetsSlice(slices));
  const readMailQueue = mailQueueReader(
    slices.flatMap((slice) => Object.keys(slice.mailJobs ?? {})),
    slices.flatMap((slice) => slice.readMailQueue ?? []),
  );
  const routes = slices.flatMap((slice) => slice.routes);
  const describe = () =>
    describeApi({
      title: ctx.site.current.name,
      modules: ctx.site.current.modules,
      baseUrl: ctx.config.baseUrl,
      routes,
      webhooks: Object.assign({}, ...slices.map((slice) => slice.webhooks)),
      scopes: Object.assign({}, ...slices.map((slice) => slice.oauthScopes)),
      examples: answerExamples,
      tags: apiTags,
    });
  const isWorker = ctx.config.role === 'worker';
  return {
    routes,
    describe,
    sessions,
    mailReports,
    offerSetup: () => offerSetup(ctx),
    async start() {
      for (const slice of slices) await slice.start?.();
    },
    async stop() {
      for (const slice of slices.toReversed()) await slice.stop?.();
    },
    buildServer: () =>
      buildServer({
        ctx,
        routes: isWorker ? routes.filter(isProcessRoute) : routes,
        authenticate,
        failurePages: site,
        upgrades: isWorker ? {} : Object.assign({}, ...slices.map((slice) => slice.upgrades)),
        closeConnections: () => slices.forEach((slice) => slice.closeConnections?.()),
      }),
    async startWorker(databaseUrl) {
      const { config, pools, eventNotifier, log, metrics } = ctx;
      const followers = new Followers({
        db: pools.main,
        eventNotifier,
        followers: slices.flatMap((slice) => slice.followers ?? []),
        log,
        metrics,
      });
      const backfills = new Backfills({
        db: pools.main,
        backfills: slices.flatMap((slice) => slice.backfills ?? []),
        log,
        metrics,
      });
      registerQueueGauges(metrics, () => readMailQueue(pools.main));
      registerModerationGauges(ctx);
      registerLogGauges(ctx);
      const jobs = await startWorker({
        databaseUrl: config.databaseDirectUrl ?? databaseUrl,
        db: pools.main,
        handlers: Object.assign(
          {},
          ...slices.flatMap((slice) => [slice.jobs, slice.mailJobs]),
          backfills.jobs,
        ),
        eventNotifier,
        schedules: slices.flatMap((slice) => slice.schedules ?? []),
        log,
      });
      await backfills.start();
      await followers.start();
      const workers = slices.flatMap((slice) => slice.workers ?? []);
      for (const worker of workers) worker.start();
      return {
        stopHeartbeat: () => jobs.stopHeartbeat(),
        async stop() {
          backfills.stop();
          await followers.stop();
          await Promise.all([jobs.stop(), ...workers.map((worker) => worker.stop())]);
        },
      };
    },
  };
}
