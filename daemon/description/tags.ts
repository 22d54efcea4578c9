/** Of what kinds routes and events are, in the order in which the description shows them. */

export const tags: Readonly<Record<string, string>> = {
  'Programmable voice': 'Calls that an application drives: place them, see them, reach into them.',
  Fax: 'A PDF becomes a fax.',
  Email: 'Mail through the configured account.',
  SMS: 'Texts through the trunks that carry them.',
  Reminders: 'Calls that remind of appointments.',
  Inbox: 'What was received, to be polled with a cursor.',
  CRM: 'Between the box and the customer records of the clinic: who calls, who is called, what is the same on both sides.',
  Calls: 'All calls of the house, as a CRM sees them and reaches into them.',
  Queues: 'Who waits in the queues of the house, and who takes their calls.',
  Extensions: 'The phones of the house, and what is set of them.',
  Hours: 'When the house is open, and opening and closing it by hand.',
  Work: 'What people of the house have to do, the page of the desk, and the search.',
  Live: 'What changes in the house, as it changes.',
  'Emergency calls': 'Calls for help that somebody has to look after.',
  Phones: 'What desk phones fetch.',
  People: 'Who may use the console of the box, and their invitations and sessions.',
  Session: 'How a page of the box signs a person in, locks, and signs out.',
  Operation: 'Whether the box is well, and this description.',
  Mailboxes: 'The mailboxes of the house, and the messages that callers left in them.',
  'Events that are answered': 'What happens in a call, sent to its application, which answers with a control document.',
  'Events without an answer': 'What becomes of a call; the answer is not read.',
  'Requests to the CRM': 'Requests of the box to the CRM at `crm.baseUrl`: the routes that the CRM serves.',
  Callbacks:
    'How a fax or a reminder ended, sent to its statusCallbackUrl; and what is the matter with the box, sent to webhooks of alarms.',
}
