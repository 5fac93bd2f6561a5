import { Redis } from 'ioredis';
import { createTransport } from 'nodemailer';
import type { Config } from '../../config.ts';
import {
  addressHeader,
  createProof,
  forwardedHeader,
  proofHeader,
} from '../../platform/setup-check.ts';
import { note, ok, wrong, type Finding } from './finding.ts';

const timeoutMs = 10_000;
/** An address for documentation (RFC 5737), which no visitor has. */
const forged = '192.0.2.1';

/** Connects to the mail relays and logs in, without sending. */
export async function checkMail({ mail }: Config): Promise<Finding[]> {
  const relays = [
    ['SMTP_URL', mail.smtp],
    ['SMTP_BULK_URL', mail.bulkSmtp],
  ] as const;
  if (!mail.smtp) {
    return [note('mail', 'SMTP_URL is not set: mails are files in DATA_DIR/mail.')];
  }
  const findings: Finding[] = [];
  for (const [name, smtp] of relays) {
    if (!smtp) continue;
    const transport = createTransport({
      url: smtp.url,
      name: smtp.hostname,
      requireTLS: smtp.requireTls,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    } as object);
    try {
      await transport.verify();
      findings.push(
        ok('mail', `${new URL(smtp.url).host} answers. \`npm run test-mail\` sends a mail.`),
      );
    } catch (error) {
      findings.push(wrong('mail', `${name}: ${(error as Error).message} (docs/mail.md)`));
    } finally {
      transport.close();
    }
  }
  return findings;
}

export async function checkRedis({ redisUrl }: Config): Promise<Finding[]> {
  if (!redisUrl) {
    return [note('Redis', 'REDIS_URL is not set: each process has limits of its own.')];
  }
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  redis.on('error', (error) => (reason = error));
  try {
    await redis.connect();
    // CONFIG is forbidden by some who host Redis.
    const [, policy] = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory')) ?? [];
    if (policy === undefined || policy === 'noeviction') return [ok('Redis', 'answers')];
    return [
      note(
        'Redis',
        `maxmemory-policy is ${policy}: set noeviction, which keeps counts of guesses.`,
      ),
    ];
  } catch (error) {
    return [wrong('Redis', `REDIS_URL: ${(reason ?? (error as Error)).message}`)];
  } finally {
    redis.disconnect();
  }
}

/** Asks the service by its public address, as visitors reach it. */
export async function checkAddress(config: Config): Promise<Finding[]> {
  const { baseUrl, production, secret } = config;
  try {
    const answer = await fetch(`${baseUrl}/health`, {
      headers: { [proofHeader]: createProof(secret, new Date()), 'x-forwarded-for': forged },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
    });
    const body = (await answer.json().catch(() => ({}))) as { status?: string; version?: string };
    if (!answer.ok || body.status !== 'ok') {
      const text = `${baseUrl}/health answers ${answer.status}, and is not this service.`;
      return [wrong('BASE_URL', text)];
    }
    return [
      ok('BASE_URL', `${baseUrl} answers, with version ${body.version ?? 'unknown'}`),
      proxyFinding(config, answer.headers),
    ];
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error };
    const text = `${baseUrl} does not answer: ${cause?.message || message}. Start the service, then check again.`;
    return [production ? wrong('BASE_URL', text) : note('BASE_URL', text)];
  }
}

/** Judges how the service saw a request that came with a forged X-Forwarded-For. */
function proxyFinding({ trustProxy }: Config, headers: Headers): Finding {
  const seen = headers.get(addressHeader);
  const forwarded = headers.get(forwardedHeader);
  if (!seen) {
    return note('proxy', 'The service does not say how it sees visitors: it has another SECRET.');
  }
  if (seen === forged) {
    return wrong(
      'proxy',
      'Visitors can forge their address: TRUST_PROXY trusts whoever connects. Name the address of the proxy alone, which must replace or extend X-Forwarded-For (docs/operating.md, Production).',
    );
  }
  if (!trustProxy && forwarded !== forged) {
    return wrong(
      'proxy',
      `A proxy sends X-Forwarded-For, and TRUST_PROXY is not set: all visitors count as ${seen}. Set it to the address of the proxy (docs/operating.md, Production).`,
    );
  }
  if (trustProxy && !forwarded?.includes(seen)) {
    return wrong(
      'proxy',
      `TRUST_PROXY does not name the proxy, which connects from ${seen}: all visitors count as that address (docs/operating.md, Production).`,
    );
  }
  return ok('proxy', `this machine is seen as ${seen}, and cannot forge that`);
}
