/** What the corpus of the accuracy measurement says. */

/** What is expected of an utterance: to be understood word by word, or (`free`) not to be taken for something it is not. */
export type Kind = 'digit' | 'digits' | 'yes-no' | 'command' | 'menu' | 'free'

export const digitWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const

/** By length. */
export const digitStrings: Readonly<Record<number, readonly string[]>> = {
  3: ['four one one', 'seven zero two', 'nine eight six', 'three five zero', 'two two six'],
  4: ['one two three four', 'nine zero eight seven', 'five five one six', 'two zero four three', 'eight six one nine'],
  5: ['nine four one one zero', 'three zero three two eight', 'six seven five four two', 'one eight nine zero five'],
  10: [
    'five five five two three six eight nine one four',
    'two zero six seven eight one three four five nine',
    'nine one seven three four two zero eight six five',
  ],
}

export const yesNo = ['yes', 'no', 'yeah', 'yes please', 'no thanks', 'correct', 'sure', 'okay'] as const

/** Hints of an application, and what is said to it. */
export const departments = [
  'appointments',
  'billing',
  'pharmacy',
  'Dr. Patel',
  'Dr. Rodriguez',
  'lab results',
  'medical records',
  'nurse',
  'front desk',
  'prescription refill',
  'Dr. Katsaros',
  'cardiology',
  'pediatrics',
  'radiology',
  'new patient',
  'insurance',
] as const

export const menuWords = [
  'operator',
  'main menu',
  'repeat',
  'cancel',
  'tomorrow',
  'tuesday',
  'ten thirty a m',
  'goodbye',
  'emergency',
  'help',
  'agent',
  'refill',
] as const

/** Free speech of three words and more: none of it fits a grammar. */
export const freeSentences = [
  'I need to move my appointment',
  'can you tell me when you are open',
  'my daughter has had a fever since last night',
  'I am calling about the bill you sent me',
  'is doctor smith in the office today',
  'could I speak with somebody please',
  'I would like to know if my results are back',
  'the pharmacy said you never called them',
  'do you take my insurance',
  'I think I left my glasses in the waiting room',
  'my husband was in the hospital last week',
  'how long will I have to wait',
  'I have been on hold for twenty minutes',
  'please call me back this afternoon',
  'I do not understand the question',
  'what was that again',
  'the pain in my knee is getting worse',
  'we are running about fifteen minutes late',
  'I need a note for my employer',
  'can I get a copy of my records',
  'where do I park the car',
  'my mother is allergic to penicillin',
  'she is taking the blue pills now',
  'is there anything earlier in the week',
  'we moved to a new address last month',
  'the front door was locked this morning',
  'you gave me the wrong number',
  'hold on let me find my card',
  'just a second please',
  'wait I am looking for it',
  'who am I speaking with',
  'sorry the dog is barking',
  'turn the television down',
  'I am driving at the moment',
  'could you speak a little louder',
  'that is not what I asked for',
  'I just want to talk to a real person',
  'my son fell off his bicycle',
  'it hurts when I swallow',
  'I have not slept in three days',
  'does the doctor see children',
  'the medicine makes me dizzy',
  'we would like a second opinion',
  'when is the flu clinic',
  'my blood pressure is too high',
  'I was told to come back in six weeks',
  'there must be some mistake',
  'they took some blood on monday',
  'let me ask my wife',
  'I will try again later',
  'this is really urgent I think',
  'our baby will not stop crying',
  'how much does it cost',
  'the machine keeps hanging up on me',
  'is it raining over there',
  'I forgot the name of the lady',
  'thank you very much for your help',
  'can somebody give me a ride',
  'it has been swollen for a while',
  'I cannot read the letter you mailed',
  'what should I bring with me',
  'the stairs are hard for my father',
  'are you closed over the holidays',
  'good morning this is helen',
] as const
