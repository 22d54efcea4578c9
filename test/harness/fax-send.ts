/** What a line is asked to send, where nothing of it matters. */
export const anyFax = {
  file: '',
  standardFile: '',
  firstPage: 0,
  stationId: '',
  header: '',
  timeZone: 'UTC',
  ecm: true,
  modems: ['v17'],
  t38: true,
} as const
