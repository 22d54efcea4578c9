/** English. The type of this table is that of every other one: a phrase that a language lacks does not compile. */
import { clockTime, day, sentences, type LocalTime } from './form.ts'

const keys: Readonly<Record<string, string>> = { '*': 'star', '#': 'pound' }

export type Words = typeof english

export const english = {
  /** The tag where only the language is wanted, without a country. */
  tag: 'en-US',

  /** What the box says when nobody else does, by prompt name: a recording of that name replaces each. */
  prompts: {
    apology: 'We are sorry, an application error has occurred. Goodbye.',
    nobody: 'We are sorry, nobody can take your call at the moment. Please call again later. Goodbye.',
    'not-in-service': 'The number you have called is not in service. Goodbye.',
    'one-moment': 'One moment please.',
  },

  /** To people who dial a feature code. `number`: digit by digit. */
  codes: {
    doNotDisturbOn: 'Do not disturb is on.',
    doNotDisturbOff: 'Do not disturb is off.',
    forwardAll: (number: string) => `All calls are forwarded to ${number}.`,
    forwardAllOff: 'Calls are not forwarded any more.',
    forwardBusy: (number: string) => `While this phone is busy, calls are forwarded to ${number}.`,
    forwardBusyOff: 'Calls are not forwarded any more while this phone is busy.',
    forwardNoAnswer: (number: string) => `Calls that nobody answers are forwarded to ${number}.`,
    forwardNoAnswerOff: 'Calls that nobody answers are not forwarded any more.',
    numberMissing: 'Please dial the code, followed by a number.',
    numberRefused: 'Calls cannot be forwarded to this number.',
    lastCaller: (number: string) => `The last caller was ${number}. To call back, press 1.`,
    noLastCaller: 'There is no last caller, or the number was withheld.',
    noCallBack: 'This number cannot be called back.',
    queueIn: 'You are logged in to your queues.',
    queueOut: 'You are logged out of your queues.',
    noQueue: 'This phone is not a member of any queue.',
    parkedAt: (number: string) => `Parked at ${number}.`,
    nothingRings: 'No call is ringing there.',
    echo: 'After the tone you hear yourself. Hang up to end the test.',
    isOpen: 'It is open. To close for today, press 2. For the usual hours, press 3.',
    isClosed: 'It is closed. To open for today, press 1. For the usual hours, press 3.',
    openToday: 'It is open until the end of the day.',
    closedToday: 'It is closed until the end of the day.',
    byCalendar: 'The usual hours apply.',
    noHours: 'There are no such hours.',
  },

  /** On the displays and keys of phones, by the kind of destination that is reached there. */
  phones: {
    parked: (slot: string) => `Parked ${slot}`,
    queue: () => 'Queue',
  },

  /** To those who talk, of what is recorded of it. */
  recording: {
    recorded: 'This call is recorded.',
    begun: 'The call is being recorded.',
    ended: 'The call is not recorded any more.',
    failed: 'The call cannot be recorded.',
  },

  menus: {
    wrongChoice: 'That is not one of the choices.',
  },

  groups: {
    /** To a member outside the house. */
    offer: (group: string) => `A call for ${group}. Press 1 to take it.`,
  },

  queues: {
    /** `before`: how many callers are served first. */
    position: (before: number) =>
      before === 0 ? 'You are next.' : before === 1 ? 'One caller is ahead of you.' : `${before} callers are ahead of you.`,
    wait: (minutes: number) => (minutes === 1 ? 'You will wait about one minute.' : `You will wait about ${minutes} minutes.`),
    leave: (key: string) => `If you do not want to wait, press ${keys[key] ?? key}.`,
    callBack: (key: string) => `To be called back and keep your place, press ${keys[key] ?? key}.`,
    /** Before the call ends. */
    willCall: 'We will call you back when it is your turn. Goodbye.',
    /** To the caller who is called back, or to a machine there. `site` may be ''. */
    back: (site: string) => `This is ${site || 'your call-back'}. To talk to us, press 1.`,
  },

  /** To callers of a mailbox. */
  mailbox: {
    /** An owner without a name. `number`: digit by digit. */
    extension: (number: string) => `Extension ${number}`,
    greeting: (owner: string) => `${owner} cannot take your call. Please leave a message after the tone.`,
    afterTone: 'Please leave a message after the tone.',
    saved: 'Your message was saved.',
    goodbye: 'Goodbye.',
    /** The disk has no room for a message. */
    full: 'We are sorry, no messages can be taken at the moment. Please call again later. Goodbye.',
    notRecorded: 'We are sorry, your message could not be recorded. Please call again later. Goodbye.',
  },

  /** To the people of a mailbox. */
  mailboxMenu: {
    enterBox: 'Please enter the number of the mailbox, then the hash key.',
    enterPin: 'Please enter your PIN, then the hash key.',
    wrongPin: 'That is not right.',
    locked: 'This mailbox is locked for an hour. Goodbye.',
    closed: 'This mailbox cannot be opened from this phone. Goodbye.',
    counts: (fresh: number, old: number) => `New messages: ${fresh}. Old messages: ${old}.`,
    from: (caller: string, when: string) => `Message from ${caller}, ${when}.`,
    withheld: 'a withheld number',
    noMore: 'There are no more messages.',
    noEarlier: 'This was the first message.',
    deleted: 'Deleted. To restore it, press 7.',
    restored: 'Restored.',
    saved: 'Saved.',
    options: 'To hear it again, press 5. Next message, 6. Delete, 7. Save, 9. For all choices, press 0.',
    help: 'Back five seconds, 1. Call back, 2. Forward five seconds, 3. Previous message, 4. Repeat, 5. Next, 6. Delete or restore, 7. Copy to another mailbox, 8. Save, 9. Greeting and PIN, star. To end, press the hash key.',
    noCallBack: 'The number was withheld.',
    notCallable: 'This number cannot be called back.',
    settingsHint: 'To change your greeting or your PIN, press star. To end, press the hash key.',
    enterForward: 'Please enter the number of the mailbox that is to have a copy, then the hash key.',
    noSuchBox: 'There is no such mailbox.',
    forwarded: 'The copy is on its way.',
    settings: 'Your greeting, press 1. The greeting while you are busy, press 2. Your PIN, press 3. Back, press star.',
    greetingMenu: 'To hear the greeting, press 1. To record it, press 2. To delete it, press 3. Back, press star.',
    noGreeting: 'None was recorded. Callers hear the usual text.',
    recordNow: 'Please speak after the tone, and end with the hash key.',
    tooShort: 'That was too short.',
    keepGreeting: 'To keep it, press 1. To record it again, press 2. To leave everything as it was, press star.',
    greetingKept: 'The greeting is saved.',
    greetingDeleted: 'Deleted. Callers hear the usual text.',
    notKept: 'That could not be saved. Nothing has changed.',
    newPin: 'Please enter the new PIN, 4 to 10 digits, then the hash key.',
    newPinAgain: 'Please enter it once more, then the hash key.',
    pinForm: 'A PIN has 4 to 10 digits.',
    pinDiffers: 'The two PINs differ. Your PIN has not changed.',
    pinSet: 'Your new PIN is set.',
    goodbye: 'Goodbye.',
  },

  /** To the people of the clinic, of a call for help. */
  emergency: {
    /** `name` may be ''. */
    extension: (number: string, name: string) => (name === '' ? `extension ${number}` : `extension ${number}, ${name}`),
    subject: (number: string, extension: string) => `EMERGENCY CALL to ${number} from ${extension}`,
    /** Of a text message. */
    title: 'EMERGENCY CALL',
    /** On the display of a phone that rings for it. */
    shown: (name: string) => `EMERGENCY ${name}`,
    /** `number`: digit by digit. */
    said: (number: string, extension: string, place: string) => `Emergency call to ${number} from ${extension}, ${place}.`,
    from: (extension: string) => `From: ${extension}`,
    dialled: (number: string) => `Dialled: ${number}`,
    where: (place: string) => `Where: ${place}`,
    noPlace: 'not configured',
    when: (when: string) => `When: ${when}`,
    call: (id: string) => `Call: ${id}`,
  },

  /** Of faults of the box, whose own texts are English. */
  alarms: {
    /** The times of a fault. */
    time: (at: number, zone: string): string => clockTime('en-GB', at, zone),
    test: (rule: string) => `Test of the alarm ${rule}`,
    testText: (rule: string, site: string) => `This is a test of the alarm ${rule} of the telephone system of ${site}.`,
    nothingToDo: 'There is no fault. You do not need to do anything.',
    testBrief: (rule: string, site: string) => `${site}: test of the alarm ${rule}. There is no fault.`,
    fault: (text: string) => `FAULT: ${text}`,
    over: (text: string) => `Cleared: ${text}`,
    overBrief: (text: string) => `CLEARED: ${text}`,
    /** Behind the first of several. */
    more: (count: number) => ` (and ${count} more)`,
    severity: 'Severity:',
    severities: { error: 'error', warning: 'warning', notice: 'notice' },
    since: 'Since:',
    until: 'Until:',
    fix: 'Fix:',
    head: (site: string) => `Telephone system of ${site}:`,
    hand: 'To stop further messages about this fault, run "pbx alarms ack" on the box.',
    rule: (rule: string) => `Alarm rule: ${rule}`,
    brief: (site: string, faults: string) => `${site}, telephones: ${faults}`,
    sinceTime: (text: string, time: string) => `${text} (since ${time})`,
    untilTime: (text: string, time: string) => `${text} (until ${time})`,
    hello: (site: string) => `This is the telephone system of ${site}.`,
    saidTest: (rule: string) => `This is a test of the alarm ${rule}. There is no fault.`,
    saidEnd: 'All faults have cleared.',
    saidFaults: (count: number) => (count === 1 ? 'There is a fault.' : `There are ${count} faults.`),
    saidMore: (count: number) => (count === 1 ? 'There is one more.' : `There are ${count} more.`),
    takeInHand: 'Press 1 to acknowledge the alarm.',
    confirm: 'Press 1 to confirm.',
    taken: 'Thank you. The alarm is acknowledged.',
  },

  /** In mails and texts, of what arrived. */
  notices: {
    voicemail: (whom: string) => `Voicemail for ${whom}`,
    fax: (whom: string) => `Fax for ${whom}`,
    text: (whom: string) => `Text for ${whom}`,
    missed: (whom: string) => `Missed call for ${whom}`,
    missedSeveral: (count: number, whom: string) => `${count} missed calls for ${whom}`,
    /** Behind one of the above, in a subject. */
    by: (caller: string) => ` from ${caller}`,
    for: (whom: string) => `For: ${whom}`,
    from: (caller: string) => `From: ${caller}`,
    when: (when: string) => `When: ${when}`,
    length: (length: string) => `Length: ${length}`,
    pages: (count: number) => `Pages: ${count}`,
    pictures: (count: number) => `Pictures: ${count}`,
    incomplete: 'The fax is incomplete: the call broke off.',
    withheld: 'withheld number',
    transcript: 'Transcript:',
    noTranscript: 'Nothing was understood.',
    body: 'Text:',
    tooLarge: 'The recording is too large to be attached.',
    faxTooLarge: 'The fax is too large to be attached.',
    pictureTooLarge: 'The picture is too large to be attached.',
    pictureLost: 'The picture could not be fetched from the provider.',
  },

  reminderCall: {
    when: (moment: LocalTime): string => {
      const { hour, minute } = moment
      const twelve = `${hour % 12 === 0 ? 12 : hour % 12}${minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`}`
      const time = hour === 12 && minute === 0 ? 'noon' : `${twelve} ${hour < 12 ? 'AM' : 'PM'}`
      return `on ${day('en-US', moment)}, at ${time}`
    },
    /** A telephone number in the national form, so that a voice reads it digit by digit. */
    number: (national: string): string => national,
    opening: ({ name, clinic, number, when, service, staff }: ReminderOpening) =>
      sentences(
        name === '' ? 'Hello.' : `Hello ${name}.`,
        `This is ${clinic}${number === '' ? '' : `, ${number},`} with a reminder of your appointment ${when}.`,
        service === '' ? '' : `It is for ${service}.`,
        staff === '' ? '' : `You will see ${staff}.`,
      ),
    confirm: 'To confirm, press 1.',
    cancel: 'To cancel, press 2.',
    reschedule: 'To ask for another time, press 3.',
    reception: 'To speak with the reception, press 0.',
    again: 'To hear this again, press 9.',
    optOut: 'To stop these calls, press star.',
    sure: 'To cancel your appointment, press 2 again.',
    kept: 'Your appointment is not cancelled.',
    wrongKey: 'That key has no meaning here.',
    confirmed: 'Thank you. Your appointment is confirmed. Goodbye.',
    canceled: 'Thank you. We have noted that you cancel your appointment. Goodbye.',
    rescheduled: 'Thank you. We have noted that you need another time, and will contact you. Goodbye.',
    optedOut: 'We will not call this number with reminders any more. Goodbye.',
    toReception: 'Please hold while we connect you.',
    nobodyThere: 'Nobody at the reception can take your call at the moment.',
    goodbye: 'Goodbye.',
    /** Left on a machine: nothing of the person, the time or the treatment. `number` may be ''. */
    message: (clinic: string, number: string, optOut: boolean) =>
      sentences(
        `Hello. This is ${clinic}, with a reminder of an appointment.`,
        number === '' ? 'Please call us.' : `Please call us at ${number}.`,
        optOut && number !== '' ? 'To stop these calls, call the same number.' : '',
        'Thank you. Goodbye.',
      ),
  },

  /** Next to a reminder call, or in its place. */
  reminderText: ({ name, clinic, number, date, time }: ReminderText) =>
    `${clinic}: ${name === '' ? 'This' : `Hello ${name}, this`} is a reminder of your appointment on ${date} at ${time}.` +
    `${number === '' ? '' : ` To change it, call ${number}.`} Reply STOP to get no more texts.`,

  /** On a cover page, next to what the sender wrote. */
  faxCover: { to: 'To', faxNumber: 'Fax number', from: 'From', subject: 'Subject', date: 'Date', pages: 'Pages' },

  /** On the receipt of a fax, for the file. */
  faxReceipt: {
    title: 'Fax receipt',
    to: 'To',
    before: 'First tried',
    station: 'Answered as',
    from: 'From',
    accepted: 'Accepted',
    ended: 'Ended',
    pages: 'Pages',
    result: 'Result',
    printed: (person: string, time: string) => `Printed by ${person}, ${time}`,
    ofPages: (sent: number, all: number) => `${sent} of ${all}`,
    results: { sent: 'Sent: the other machine confirmed every page', failed: 'Not sent', canceled: 'Canceled', open: 'Not finished' },
  },

  /** Words in texts that come, in capitals and without accents. */
  understood: {
    /** Next to those of the configuration. */
    optOut: [] as readonly string[],
    start: ['START', 'UNSTOP'] as readonly string[],
    help: ['HELP', 'INFO'] as readonly string[],
    /** These may mean an appointment, too. */
    cancel: ['CANCEL'] as readonly string[],
    end: ['END'] as readonly string[],
  },
}

export interface ReminderOpening {
  /** First name, or a form of address with the surname; '' where no name is known. */
  readonly name: string
  readonly clinic: string
  /** As `number` wrote it; '' for none. Said at the beginning where the rules of a country ask for it. */
  readonly number: string
  /** As `when` wrote it. */
  readonly when: string
  /** Both '' unless they may be spoken. */
  readonly service: string
  readonly staff: string
}

export interface ReminderText {
  /** As in `ReminderOpening`. */
  readonly name: string
  readonly clinic: string
  /** As people dial it; '' for none. */
  readonly number: string
  /** Such as "Monday, March 9" and "2:30 PM". */
  readonly date: string
  readonly time: string
}
