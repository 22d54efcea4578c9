/**
 * Text that nobody said. Models that write word by word (Whisper, Moonshine) were trained on subtitled films and, when
 * there is nothing to hear, write what subtitles say there; and they can get stuck in a loop.
 */

/** Whole results, without case and punctuation, that silence and noise are known to give. */
const phantoms: ReadonlySet<string> = new Set([
  // What a film's last quiet seconds are subtitled with.
  'thank you',
  'thank you very much',
  'thank you so much',
  'thanks',
  'thank you for watching',
  'thanks for watching',
  'thank you for listening',
  'please subscribe',
  'please subscribe to my channel',
  'like and subscribe',
  'see you next time',
  'see you in the next video',
  'the end',
  'bye',
  'bye bye',
  'goodbye',
  // Makers of subtitles sign there.
  'subtitles by the amara org community',
  'transcription by castingwords',
  // The most frequent short words, written for a breath or a click.
  'you',
  'the',
  'i',
  'so',
  'oh',
  'uh',
  'um',
  'hmm',
  'mm',
  'okay',
])

/**
 * So much of the audio must stand out as speech for a phantom to be believed. The shortest of them said for real, a
 * "bye" or "you", stands out from the pauses around it for 0.2 s, a "thank you" for 0.4 s and more; a click stays below,
 * and steady noise and tones never stand out from themselves. In doubt the words are kept: a caller's thanks that
 * are lost are worse than a few that nobody said, which the voice detector keeps away from here anyway.
 */
const believedMs = 160
const frame = 160
const frameMs = 20
/** A frame stands out at 8 dB above the quietest tenth of the audio, and not below -48 dBFS: nobody telephones so softly. */
const aboveFloor = 10 ** (8 / 20)
const faintest = 130
/**
 * Nobody says more words: of recordings of people the fastest said 5.7 in a second of what stands out, and 2.6 in a second of
 * the whole, pauses and all (docs/figures/speech.md).
 */
const mostWords = (voicedMs: number, wholeMs: number): number => Math.min(4 + (voicedMs / 1000) * 7, 1 + (wholeMs / 1000) * 3.5)

/** The text that was really said in these 8 kHz samples, as far as that can be known; '' for a phantom. */
export function withoutPhantoms(text: string, samples: Int16Array): string {
  // Remarks such as [BLANK_AUDIO], (wind blowing) and musical notes are no words.
  const spoken = text
    .replace(/\[[^\]]*\]|\([^)]*\)|[♪♫]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (plain(spoken) === '') return ''
  const voicedMs = standingOutMs(samples)
  const once = withoutLoop(spoken, mostWords(voicedMs, samples.length / 8))
  return voicedMs < believedMs && phantoms.has(plain(once)) ? '' : once
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function standingOutMs(samples: Int16Array): number {
  const levels: number[] = []
  for (let start = 0; start + frame <= samples.length; start += frame) {
    let sum = 0
    for (let index = start; index < start + frame; index += 1) sum += samples[index]! ** 2
    levels.push(Math.sqrt(sum / frame))
  }
  const floor = levels.toSorted((a, b) => a - b)[Math.floor(levels.length / 10)] ?? 0
  const threshold = Math.max(faintest, floor * aboveFloor)
  return levels.filter((level) => level > threshold).length * frameMs
}

/**
 * A phrase that is repeated up to the end of the text, its last time perhaps cut short, or five times before other words (a long one three
 * times), is written once, if nobody could have said all of it in the time: a caller may well say "no no no no no".
 */
function withoutLoop(text: string, most: number): string {
  const words = [...text.matchAll(/[\p{L}\p{N}']+/gu)].map((match) => ({
    word: match[0].toLowerCase(),
    end: match.index + match[0].length,
  }))
  if (words.length <= most) return text
  for (let length = 1; length <= longestLoop; length += 1) {
    for (let start = 0; start + 2 * length <= words.length; start += 1) {
      const first = start + length
      let same = 0
      while (first + same < words.length && words[start + same]!.word === words[first + same]!.word) same += 1
      const toTheEnd = first + same === words.length && same >= Math.max(length, leastRepeated)
      if (!toTheEnd && same < (length < longPhrase ? 4 : 2) * length) continue
      // What ends the phrase stays: "No. No. No. No." becomes "No.".
      return text.slice(0, words[first - 1]!.end + (/^[.!?]/.test(text.slice(words[first - 1]!.end)) ? 1 : 0))
    }
  }
  return text
}

/** Words of the longest phrase that is looked for, and of the shortest repetition. */
const longestLoop = 24
const leastRepeated = 4
/** Of so many words nobody says the same a third time. */
const longPhrase = 5
