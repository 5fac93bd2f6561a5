/** What each group of operations is for, in the description of the API. */
export const apiTags: Record<string, string> = {
  Authentication: 'Accounts: opening one, logging in and out, tokens, sessions, passwords.',
  Users: 'Your own account, and what everybody sees of others.',
  Notifications: 'What you are told, in the service and by mail, and how to end it.',
  Service:
    'The service itself: its state, its description, kinds of failure, reports about its mail.',
  Signatures: 'Signing with and without an account, withdrawing, and the lists of who signed.',
  'API keys': 'Keys with which programs act for you.',
  'OAuth 2.0': 'Applications that act for others, who allow it and can withdraw it.',
  Petitions: 'Creating, publishing, changing and ending petitions, and finding them in lists.',
  Admin: 'For moderators and administrators. What each may do stands with the operation.',
  Organizations: 'Organizations, their members, and the petitions that they own together.',
  Shares: 'Links by which people share petitions, and what came of them.',
  Comments: 'Comments on petitions and replies to them.',
  Updates: 'News that the creator of a petition posts.',
  Organizers:
    'Those who organize a petition with its creator, and handing a petition over to one of them.',
  Media: 'Pictures: sending them, and how far they are.',
  'Decision makers':
    'Those who can decide: delivering a petition to them, and what they answer by a link.',
  'Real time': 'Counts and events as they happen, by server-sent events or a WebSocket.',
  Embeds: 'Petitions in other pages.',
  Payments: 'Payments for promoting a petition.',
  Feeds: 'Atom feeds of petitions.',
  Search: 'Finding petitions by words, while typing, and those that are alike; finding places.',
  'Public log':
    'The public log of what is counted, as files that anyone can verify, what it holds of a petition, and receipts of signers: see docs/verifying.md.',
  Pages: 'Files that pages use.',
  Webhooks: 'Events that are sent to your server, signed, with what became of each delivery.',
  Analytics: 'Figures of petitions and of the whole service.',
  Reports: 'Reporting what should not be there to the moderators.',
};
