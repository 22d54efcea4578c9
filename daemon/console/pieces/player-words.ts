/** What the player says. */
import { words } from '../frame/words.ts'

export const sayPlayer = words({
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
