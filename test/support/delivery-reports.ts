/** A mail that is reported about. */
export interface ReportedMail {
  to: string;
  /** Its envelope sender. */
  sender: string;
  /** In angle brackets. */
  messageId: string;
}

interface Parts {
  headers: string[];
  text?: string;
  /** Media type and text of the machine-readable part. */
  status: [string, string];
  /** Media type and text of the returned mail. */
  returned?: [string, string];
}

/** Composes a multipart/report as mail servers send it. */
export function composeReport({ headers, text = 'See below.', status, returned }: Parts): string {
  const parts = [['text/plain; charset=us-ascii', text], status, ...(returned ? [returned] : [])];
  const type = status[0].slice('message/'.length);
  return [
    ...headers,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type};`,
    ' boundary="report/4711"',
    '',
    'This is a MIME-encapsulated message.',
    ...parts.flatMap(([name, body]) => [
      '',
      '--report/4711',
      `Content-Type: ${name}`,
      '',
      ...body!.split('\n'),
    ]),
    '',
    '--report/4711--',
    '',
  ].join('\r\n');
}

/** A bounce with this status, as Postfix writes it. */
export const postfixReport = (
  { to, sender, messageId }: ReportedMail,
  { action = 'failed', status = '5.1.1' } = {},
): string =>
  composeReport({
    headers: [
      'Return-Path: <>',
      'From: MAILER-DAEMON@mx.example.net (Mail Delivery System)',
      `To: ${sender}`,
      'Subject: Undelivered Mail Returned to Sender',
    ],
    text: `<${to}>: host mx.example.org[192.0.2.1] said: 550 5.1.1 No such user (in reply to RCPT TO command)`,
    status: [
      'message/delivery-status',
      `Reporting-MTA: dns; mx.example.net
X-Postfix-Queue-ID: 4bXyz11
X-Postfix-Sender: rfc822; ${sender}
Arrival-Date: Thu, 26 Nov 2026 04:00:00 +0000 (UTC)

Final-Recipient: rfc822; ${to}
Original-Recipient: rfc822;${to}
Action: ${action}
Status: ${status}
Remote-MTA: dns; mx.example.org
Diagnostic-Code: smtp; 550 ${status} No such
    user`,
    ],
    returned: [
      'message/rfc822',
      `Return-Path: <${sender}>
From: Petitions <no-reply@petitions.test>
To: ${to}
Message-ID: ${messageId}
Subject: A mail

Its text.`,
    ],
  });

/** Exim gives no status of its own, and delivers to an address that its Envelope-To names. */
export const eximReport = ({ to, sender, messageId }: ReportedMail): string =>
  composeReport({
    headers: [
      `Envelope-To: ${sender.toUpperCase()}`,
      `X-Failed-Recipients: ${to}`,
      'From: Mail Delivery System <Mailer-Daemon@mail.example.net>',
      'To: postmaster@petitions.test',
    ],
    status: [
      'message/delivery-status',
      `Reporting-MTA: dns; mail.example.net

Action: failed
Final-Recipient: rfc822;${to}
Status: 5.0.0
Remote-MTA: dns; mx.example.org
Diagnostic-Code: smtp; 550-5.1.1 The account that you tried to reach does not exist.`,
    ],
    returned: ['message/rfc822', `Message-ID: ${messageId}\nTo: ${to}\n\nIts text.`],
  });

/** Microsoft 365 writes to the envelope sender, and returns the headers only. */
export const microsoftReport = ({ to, messageId }: ReportedMail): string =>
  composeReport({
    headers: [
      'From: "Microsoft Outlook" <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@petitions.test>',
      'To: <no-reply@petitions.test>',
      `In-Reply-To: ${messageId}`,
      `References: ${messageId}`,
    ],
    status: [
      'message/delivery-status',
      `Reporting-MTA: dns;AM0PR04MB0001.eurprd04.example
Received-From-MTA: dns;mail.petitions.test

Final-Recipient: rfc822;${to}
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ${to} not found by SMTP address lookup`,
    ],
    returned: ['text/rfc822-headers', `From: <no-reply@petitions.test>\nTo: <${to}>`],
  });

/** Gmail; without a report's own recipient, only the returned mail has the key. */
export const gmailReport = ({ to, messageId }: ReportedMail): string =>
  composeReport({
    headers: [
      'From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      'Subject: Delivery Status Notification (Failure)',
    ],
    status: [
      'message/delivery-status',
      `Reporting-MTA: dns; googlemail.com
Arrival-Date: Thu, 26 Nov 2026 04:00:00 -0800 (PST)
X-Original-Message-ID: ${messageId}

Final-Recipient: rfc822; ${to}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist.
Last-Attempt-Date: Thu, 26 Nov 2026 04:00:01 -0800 (PST)`,
    ],
    returned: ['message/rfc822', `Message-ID:\n ${messageId}\nTo: ${to}\n\nIts text.`],
  });

/** Amazon SES, of a mailbox that is disabled. The returned headers have no other key than that of the Return-Path. */
export const sesReport = ({ to, sender }: ReportedMail): string =>
  composeReport({
    headers: ['From: MAILER-DAEMON@amazonses.com', 'To: feedback@petitions.test'],
    status: [
      'message/delivery-status',
      `Reporting-MTA: dns; a8-50.smtp-out.amazonses.com

Action: failed
Final-Recipient: rfc822; ${to}
Diagnostic-Code: smtp; 550 5.2.1 mailbox disabled
Status: 5.2.1`,
    ],
    returned: [
      'text/rfc822-headers',
      `Return-Path: <${sender}>\nMessage-ID: <0100018f-000000@email.amazonses.com>`,
    ],
  });

/** A complaint of a reader (RFC 5965). */
export const feedbackReport = ({ to, sender, messageId }: ReportedMail, type = 'abuse'): string =>
  composeReport({
    headers: ['From: <feedback@provider.example>', 'To: <abuse@petitions.test>'],
    status: [
      'message/feedback-report',
      `Feedback-Type: ${type}
User-Agent: Provider/1.0
Version: 1
Original-Mail-From: <${sender}>
Original-Rcpt-To: <${to}>`,
    ],
    returned: ['message/rfc822', `Message-ID: ${messageId}\nTo: ${to}\n\nIts text.`],
  });
