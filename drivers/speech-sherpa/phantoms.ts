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
/** Nobody says more words in a second. */
const fastestWords = 7

/** The text that was really said in these 8 kHz samples, as far as that can be known; '' for a phantom. */
export function withoutPhantoms(text: string, samples: Int16Array): string {
  // Remarks such as [BLANK_AUDIO], (wind blowing) and musical notes are no words.
  const spoken = text
    .replace(/\[[^\]]*\]|\([^)]*\)|[♪♫]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (plain(spoken) === '') return ''
  const voicedMs = standingOutMs(samples)
  const once = withoutLoop(spoken, voicedMs)
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
 * A phrase repeated five times and more is written once, if nobody could have said all of it in the time: a caller may
 * well say "no no no no no".
 */
function withoutLoop(text: string, voicedMs: number): string {
  const words = text.split(' ')
  if (words.length <= 4 + (voicedMs / 1000) * fastestWords) return text
  const bare = words.map(plain)
  for (let length = 1; length <= 12; length += 1) {
    for (let start = 0; start + 5 * length <= words.length; start += 1) {
      let same = 0
      while (start + same + length < words.length && bare[start + same] === bare[start + same + length]) same += 1
      if (same >= 4 * length) return words.slice(0, start + length).join(' ')
    }
  }
  return text
}
