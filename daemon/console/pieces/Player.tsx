/** Plays a voicemail or a recording: how loud it is along its time, its words as they are spoken, speed, and steps of five seconds. */
import { useSignal, type Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { PeaksView } from '../../schema/mailboxes.ts'
import { Fault, get } from '../frame/api.ts'
import { useKeys } from '../frame/keys.ts'
import { Icon } from './Icon.tsx'
import { FaultNote } from './Panel.tsx'
import { lengthText } from './time.ts'
import { words } from '../frame/words.ts'

/** What the player says. */
const sayPlayer = words({
  en: {
    back: '5 seconds back',
    forth: '5 seconds on',
    pause: 'Pause',
    place: 'Place in the recording',
    placeOf: '{at} of {all}',
    play: 'Play',
    player: 'Recording of {name}',
    speed: 'Speed',
  },
  es: {
    back: '5 segundos atrás',
    forth: '5 segundos adelante',
    pause: 'Pausa',
    place: 'Posición en la grabación',
    placeOf: '{at} de {all}',
    play: 'Reproducir',
    player: 'Grabación de {name}',
    speed: 'Velocidad',
  },
})

export interface PlayerProps {
  /** Of the audio; `peaks` below it has the rest. */
  readonly src: string
  readonly peaks: string
  /** Whose message it is. */
  readonly label: string
  /** After three seconds of it were played, once. */
  readonly onHeard?: () => void
  /** The words are shown below, the spoken one marked. */
  readonly words?: boolean
}

const speeds = [0.8, 1, 1.25, 1.5, 2]
const stepSeconds = 5
const heardSeconds = 3

export function Player({ src, peaks, label, onHeard, words = true }: PlayerProps) {
  const audio = useRef<HTMLAudioElement>(null)
  const loud = useSignal<PeaksView | undefined>(undefined)
  const fault = useSignal<Fault | undefined>(undefined)
  const at = useSignal(0)
  const playing = useSignal(false)
  const played = useRef({ seconds: 0, last: 0, isHeard: false })
  const load = (): void => {
    fault.value = undefined
    get<PeaksView>(peaks).then(
      (answer) => (loud.value = answer),
      (error: unknown) => (fault.value = error instanceof Fault ? error : new Fault(0, {})),
    )
  }
  useEffect(load, [peaks])
  const toggle = (): void => {
    const element = audio.current
    if (element === null) return
    if (element.paused) void element.play().catch(() => (fault.value = new Fault(0, {})))
    else element.pause()
  }
  const seek = (seconds: number): void => {
    const element = audio.current
    if (element === null) return
    element.currentTime = Math.max(0, Math.min(length(loud), seconds))
    played.current.last = at.value = element.currentTime
  }
  const moved = (): void => {
    const now = audio.current?.currentTime ?? 0
    const step = now - played.current.last
    if (step > 0 && step < 2) played.current.seconds += step
    played.current.last = at.value = now
    if (played.current.isHeard || played.current.seconds < Math.min(heardSeconds, length(loud))) return
    played.current.isHeard = true
    onHeard?.()
  }
  useKeys({ p: { does: sayPlayer('play'), run: toggle } })
  return (
    <div class="player-box">
      <div class="player" role="group" aria-label={sayPlayer('player', { name: label })}>
        <button type="button" class="btn icon" aria-label={sayPlayer(playing.value ? 'pause' : 'play')} onClick={toggle}>
          <Icon name={playing.value ? 'pause' : 'play'} />
        </button>
        <button type="button" class="btn small quiet" aria-label={sayPlayer('back')} onClick={() => seek(at.value - stepSeconds)}>
          −5
        </button>
        <button type="button" class="btn small quiet" aria-label={sayPlayer('forth')} onClick={() => seek(at.value + stepSeconds)}>
          +5
        </button>
        <span class="num">{lengthText(at.value * 1_000)}</span>
        <Wave loud={loud} at={at} seek={seek} />
        <span class="num">{lengthText(length(loud) * 1_000)}</span>
        <Speed audio={audio} />
        <audio
          ref={audio}
          src={src}
          preload="none"
          onPlay={() => (playing.value = true)}
          onPause={() => (playing.value = false)}
          onTimeUpdate={moved}
          onEnded={moved}
          onError={() => (fault.value = new Fault(0, {}))}
        />
      </div>
      {fault.value === undefined ? null : <FaultNote fault={fault.value} again={load} />}
      {words ? <Spoken loud={loud} at={at} seek={seek} /> : null}
    </div>
  )
}

function Speed({ audio }: { readonly audio: RefObject<HTMLAudioElement | null> }) {
  const speed = useSignal(1)
  return (
    <select
      class="pick"
      aria-label={sayPlayer('speed')}
      value={speed.value}
      onChange={(event) => {
        speed.value = Number(event.currentTarget.value)
        if (audio.current !== null) audio.current.playbackRate = speed.value
      }}
    >
      {speeds.map((one) => (
        <option key={one} value={one}>
          {one}×
        </option>
      ))}
    </select>
  )
}

const length = (loud: Signal<PeaksView | undefined>): number => (loud.value?.durationMs ?? 0) / 1_000

interface Place {
  readonly loud: Signal<PeaksView | undefined>
  readonly at: Signal<number>
  readonly seek: (seconds: number) => void
}

/** Columns of the drawing: two peaks each. */
const columns = 200
const middle = 15

function bars(peaks: readonly number[], from: number, to: number): string {
  const loudest = Math.max(...peaks, 24)
  let path = ''
  for (let column = from; column < to; column++) {
    const peak = Math.max(peaks[column * 2] ?? 0, peaks[column * 2 + 1] ?? 0)
    const high = Math.max(1, (peak / loudest) * (middle - 1))
    path += `M${column * 2 + 1} ${(middle - high).toFixed(1)}V${(middle + high).toFixed(1)}`
  }
  return path
}

function Wave({ loud, at, seek }: Place) {
  const peaks = loud.value?.peaks ?? []
  const total = length(loud)
  const done = total === 0 ? 0 : Math.round((at.value / total) * columns)
  return (
    <span class="wave-box">
      <svg class="wave" viewBox="0 0 400 30" preserveAspectRatio="none" aria-hidden="true">
        <path class="done" d={bars(peaks, 0, done)} />
        <path d={bars(peaks, done, columns)} />
      </svg>
      <input
        type="range"
        min={0}
        max={Math.max(1, Math.ceil(total))}
        step={1}
        value={Math.floor(at.value)}
        aria-label={sayPlayer('place')}
        aria-valuetext={sayPlayer('placeOf', { at: lengthText(at.value * 1_000), all: lengthText(total * 1_000) })}
        onInput={(event) => seek(Number(event.currentTarget.value))}
      />
    </span>
  )
}

function Spoken({ loud, at, seek }: Place) {
  const words = loud.value?.words ?? []
  if (words.length === 0) return null
  const now = at.value * 1_000
  return (
    <p class="spoken">
      {words.map(({ text, fromMs, toMs }, n) => (
        <>
          <span key={n} class={now > 0 && now >= fromMs && now < toMs ? 'now' : ''} onClick={() => seek(fromMs / 1_000)}>
            {text}
          </span>{' '}
        </>
      ))}
    </p>
  )
}
