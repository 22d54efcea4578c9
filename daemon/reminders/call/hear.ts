/** Listens to who has answered, on a live call. */
import type { Call } from '../../calls/call.ts'
import type { Clock } from '../../base/clock.ts'
import { BeepFinder } from './beep.ts'
import { Greeting } from './greeting.ts'

/** Where no audio comes from the far end at all, a person is assumed after this. */
const noAudioMs = 2500
/** Nothing is waited for longer, also where the audio stops coming. */
const longestMs = 35_000
/** A machine that was taken for a person beeps within this time of our first word; longer than the blip of a key or a line. */
const lateFrames = 1500
const lateBeepFrames = 12

/** Resolves when it is time to speak, also when the call has ended. `machine`: it records by now. */
export function hearGreeting(call: Call, clock: Clock): Promise<'human' | 'machine'> {
  return new Promise((resolve) => {
    const greeting = new Greeting()
    let over = false
    const done = (who: 'human' | 'machine') => {
      if (over) return
      over = true
      for (const timer of timers) timer.cancel()
      stop()
      unlisten()
      call.over.removeEventListener('abort', asFarAsKnown)
      resolve(who)
    }
    const asFarAsKnown = () => done(greeting.machine ? 'machine' : 'human')
    const timers = [
      clock.after(noAudioMs, () => {
        if (greeting.heardMs === 0) done('human')
      }),
      clock.after(longestMs, asFarAsKnown),
    ]
    const stop = frames(call, (samples) => {
      const verdict = greeting.frame(samples)
      if (verdict === 'machine') call.note('speech', 'continuous speech: an answering machine; waiting for its beep')
      else if (verdict !== null) done(verdict === 'human' ? 'human' : 'machine')
    })
    // Only a person presses a key.
    const unlisten = call.listen((signal) => {
      if (signal.type === 'digit') done('human')
    })
    call.over.addEventListener('abort', asFarAsKnown)
    if (call.over.aborted) asFarAsKnown()
  })
}

/** Reports once the beep of a machine that was taken for a person; keys prove the person. */
export function hearLateBeep(call: Call, beeped: () => void): () => void {
  const finder = new BeepFinder(lateBeepFrames)
  let count = 0
  const stop = () => {
    unlisten()
    unframe()
  }
  const unlisten = call.listen((signal) => {
    if (signal.type === 'digit') stop()
  })
  const unframe = frames(call, (samples) => {
    count += 1
    if (finder.frame(samples) === 'over') {
      stop()
      beeped()
    } else if (count >= lateFrames) stop()
  })
  return stop
}

function frames(call: Call, each: (samples: Int16Array) => void): () => void {
  let stopped = false
  const unlisten = call.listen((signal) => {
    if (signal.type === 'audio' && !stopped) each(signal.samples)
  })
  call.leg?.audio?.tap(true)
  return () => {
    if (stopped) return
    stopped = true
    unlisten()
    if (!call.over.aborted) call.leg?.audio?.tap(false)
  }
}
