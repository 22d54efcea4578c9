/**
 * Recordings of people from public repositories, taken down to the telephone's 8 kHz. The repositories are read with git from
 * a folder of clones, or cloned; nothing of them is kept in this one.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toTelephoneRate } from '../../../drivers/resample.ts'
import { readWav, wavBytes } from '../../../drivers/wav.ts'
import { Random } from '../../../scripts/cli/selftest/corpus.ts'
import { cache } from './weights/install.ts'

export const peopleFolder = join(cache, 'people')
/** The same recordings as they were published. */
export const originalsFolder = join(cache, 'originals')

/** Recorded noises of a house, a street, a room full of people. */
export const noisesFolder = join(cache, 'noises')

export const tasks = ['digit', 'birth', 'telephone', 'yes-no', 'menu', 'order', 'sentence'] as const
export type Task = (typeof tasks)[number]

export interface Person {
  readonly task: Task
  /** What was said; of an order its parts, with semicolons between. */
  readonly text: string
  readonly original: Buffer
}

/** Repository and the commit that was read. Sources and licences are in docs/figures/speech.md. */
const repositories = {
  digits: ['Jakobovski/free-spoken-digit-dataset', '26eb9aaf76e81b692f806f9140c2d2777410d7a1'],
  orders: ['Picovoice/speech-to-intent-benchmark', '47b1ca63afe4f08cb83e1f70fec16764879bd130'],
  harvard: ['speechbrain/speechbrain', '9c826ef3937bac885c8a6ca86c6889a30f256fb5'],
  lj: ['coqui-ai/TTS', 'dbf1a08a0d4e47fdad6172e433eeb34bc6b13b4e'],
  sphinx: ['cmusphinx/pocketsphinx', '511126b492dcb267cf30d49d631946d7b61a9530'],
  whisper: ['ggerganov/whisper.cpp', 'f0d2bfbfb77e01df6160f64d249bd43e75e11660'],
  noises: ['hj-hejie/hj-speech-commands', '96b5be0dabdc974f8233cbed2c8e955a48bf2a10'],
  yesNo: ['tensorflow/tflite-micro', '90b983c2b3f1480642e040bbd2ddb37b998f3424'],
  commands: ['vinsis/speech-commands-recognition', '53317d51bc2c75de6118ede48b0da06a412a1341'],
} as const

type Repository = keyof typeof repositories

/** Reads one file of a repository, or the names in one of its folders. */
type Read = (of: Repository, path: string) => Buffer

function reader(clones: string): Read {
  return (of, path) => {
    const [name, commit] = repositories[of]
    const flat = name.replace('/', '+')
    let folder = [join(clones, flat, 'repo'), join(clones, flat)].find((candidate) => existsSync(candidate))
    if (folder === undefined) {
      folder = join(clones, flat)
      git(['clone', '-q', '--bare', '--filter=blob:none', `https://github.com/${name}`, folder])
    }
    return git(['-C', folder, 'show', `${commit}:${path}`])
  }
}

function git(words: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync('git', words, { maxBuffer: 64 << 20 })
  if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr.toString().trim()}`)
  return stdout
}

const speakers = ['george', 'jackson', 'lucas', 'nicolas', 'theo', 'yweweler']
const words = 'zero one two three four five six seven eight nine'.split(' ')

/**
 * So many digits of one speaker, a sixth to a quarter of a second apart; eight are a date of birth. Of the 50 recordings of each digit
 * every second one: the others are for trying what may help.
 */
function digitString(read: Read, length: number, number: number): Person {
  const random = new Random(number * 31 + length)
  const two = (value: number): string => String(value).padStart(2, '0')
  const date = length === 8 ? `${two(1 + random.integer(12))}${two(1 + random.integer(28))}${1925 + random.integer(95)}` : undefined
  const speaker = speakers[number % speakers.length]!
  const said: number[] = []
  const pieces: Int16Array[] = []
  for (let at = 0; at < length; at += 1) {
    const digit = date === undefined ? random.integer(10) : Number(date[at])
    said.push(digit)
    pieces.push(readWav(read('digits', `recordings/${digit}_${speaker}_${random.integer(25) * 2 + 1}.wav`)).samples)
    pieces.push(new Int16Array(1300 + random.integer(700)))
  }
  const whole = Int16Array.from(pieces.flatMap((piece) => [...piece]))
  const task = length === 1 ? 'digit' : length === 8 ? 'birth' : 'telephone'
  return { task, text: said.map((digit) => words[digit]).join(' '), original: wavBytes(whole) }
}

function orders(read: Read, count: number): Person[] {
  const labels = JSON.parse(read('orders', 'data/label/label.json').toString('utf8')) as Record<string, { slots: Record<string, string> }>
  const names = Object.keys(labels).toSorted()
  const step = Math.floor(names.length / count)
  return Array.from({ length: count }, (_, number) => {
    const name = names[number * step]!
    const text = Object.values(labels[name]!.slots)
      .map((part) => part.trim())
      .join('; ')
    return { task: 'order', text, original: read('orders', `data/speech/clean/${name}`) }
  })
}

/** The lists of the Harvard sentences, which these recordings read; the repository's own labels have errors. */
const harvard = [
  ['spk1_snt1', 'The child almost hurt the small dog.'],
  ['spk1_snt2', 'Drop the two when you add the figures.'],
  ['spk1_snt3', 'At that high level the air is pure.'],
  ['spk1_snt4', 'A thin stripe runs down the middle.'],
  ['spk1_snt5', 'Sunday is the best part of the week.'],
  ['spk2_snt1', 'We are sure that one war is enough.'],
  ['spk2_snt2', 'What joy there is in living.'],
  ['spk2_snt3', 'Tear thin sheets from the yellow pad.'],
  ['spk2_snt4', 'Mend the coat before you go out.'],
  ['spk2_snt5', 'Jump the fence and hurry up the bank.'],
] as const

const librivox = ['0870', '0880', '0890', '0920', '0930']

function sentences(read: Read): Person[] {
  const of = (text: string, original: Buffer): Person => ({ task: 'sentence', text, original })
  const austen = read('sphinx', 'test/data/librivox/transcription').toString('utf8').split('\n')
  return [
    ...harvard.map(([name, text]) => of(text, read('harvard', `tests/samples/ASR/${name}.wav`))),
    ...librivox.map((number) => {
      const line = austen.find((each) => each.includes(number)) ?? ''
      // "a more a amiable woman" is a slip of the list, not of the reader.
      const text = line.replace(/<\/?s>|\(.*\)/g, '').replace('more a amiable', 'more amiable')
      return of(text.trim(), read('sphinx', `test/data/librivox/sense_and_sensibility_01_austen_64kb-${number}.wav`))
    }),
    ...read('lj', 'tests/data/ljspeech/metadata.csv')
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('|'))
      .map(([name = '', , text = '']) => of(text, read('lj', `tests/data/ljspeech/wavs/${name}.wav`))),
    of(
      'And so my fellow Americans ask not what your country can do for you, ask what you can do for your country.',
      read('whisper', 'samples/jfk.wav'),
    ),
  ]
}

/** Words that an application may offer, each said alone by people of the public at their own computers. */
export const menuOffered = ['left', 'right', 'up', 'down', 'stop', 'go', 'house', 'happy', 'marvin', 'sheila'] as const
const commandsFolder = 'speech_commands_v0.01'

/** Of each word the first so many recordings in the order of their names. */
function commands(read: Read, wanted: readonly string[], task: Task, ofEach: number): Person[] {
  return wanted.flatMap((word) =>
    read('commands', `${commandsFolder}/${word}`)
      .toString('utf8')
      .split('\n')
      .filter((name) => name.endsWith('.wav'))
      .slice(0, ofEach)
      .map((name): Person => ({ task, text: word, original: read('commands', `${commandsFolder}/${word}/${name}`) })),
  )
}

const micro = 'tensorflow/lite/micro/examples/micro_speech/testdata'

const backgrounds = ['doing_the_dishes', 'dude_miaowing', 'exercise_bike', 'running_tap', 'pink_noise']
const background = 'datasets/speech_commands_hj/train/_background_noise_'

function noises(read: Read): [name: string, file: Buffer][] {
  return [
    ...backgrounds.map((name): [string, Buffer] => [name, read('noises', `${background}/${name}.wav`)]),
    ...[1, 2, 3, 4, 5].map((number): [string, Buffer] => [`noise${number}`, read('harvard', `tests/samples/noise/noise${number}.wav`)]),
  ]
}

/** Writes the noises, the recordings and `transcripts.tsv` (file, text, task); those that are there already are kept. */
export function gatherPeople(clones: string, perTask: number, said: (text: string) => void): void {
  const read = reader(clones)
  mkdirSync(peopleFolder, { recursive: true })
  mkdirSync(originalsFolder, { recursive: true })
  mkdirSync(noisesFolder, { recursive: true })
  for (const [name, file] of noises(read)) {
    const { samples, rate } = readWav(file)
    writeFileSync(join(noisesFolder, `${name}.wav`), wavBytes(toTelephoneRate(samples, rate)))
  }
  const people = [
    ...[1, 8, 10].flatMap((length) => Array.from({ length: perTask }, (_, number) => digitString(read, length, number))),
    ...(['yes', 'no'] as const).map((text): Person => ({ task: 'yes-no', text, original: read('yesNo', `${micro}/${text}_1000ms.wav`) })),
    ...orders(read, perTask),
    ...sentences(read).slice(0, perTask),
    ...commands(read, ['yes', 'no'], 'yes-no', perTask / 2),
    ...commands(read, menuOffered, 'menu', perTask / menuOffered.length),
  ]
  const lines = people.map(({ task, text, original }, at) => {
    const name = `${task}-${String(at).padStart(3, '0')}.wav`
    const { samples, rate } = readWav(original)
    writeFileSync(join(originalsFolder, name), original)
    writeFileSync(join(peopleFolder, name), wavBytes(toTelephoneRate(samples, rate)))
    return `${name}\t${text}\t${task}\n`
  })
  writeFileSync(join(peopleFolder, 'transcripts.tsv'), lines.join(''))
  said(`${people.length} recordings of people in ${peopleFolder}`)
}
