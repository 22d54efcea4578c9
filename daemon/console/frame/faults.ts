/** The sentence of a fault. The box says it in English; pages in another language say what the code means. */
import type { Fault } from './api.ts'
import { language, words } from './words.ts'

const known = words({
  en: {
    unreachable: 'The box does not answer. It is tried again by itself.',
    internal: 'Something went wrong in the box.',
    rate_limited: 'Too many tries. Wait a while and try again.',
    sign_in_busy: 'Too many people sign in at this moment. Try again.',
    sign_in_failed: 'The login, the password or the code is wrong.',
    code_needed: 'Enter the code that your authenticator app shows.',
    invitation_void: 'This invitation is not valid: it was used, replaced, or has expired. Ask for a new one.',
    session_ended: 'The session has ended. Sign in again.',
    second_step_needed: 'Set up the second step first.',
    role_denied: 'Your role may not do this.',
    https_needed: 'Sign in over https: what is sent here can be read on the network.',
    not_found: 'This does not exist any more.',
    changed_meanwhile: 'Somebody else has changed this meanwhile.',
    validation_failed: 'The box does not take this.',
    call_ended: 'The call has ended.',
    extension_unavailable: 'That phone cannot be reached now.',
    overloaded: 'The box has too much to do. Try again in a moment.',
  },
  es: {
    unreachable: 'El equipo no responde. Se intenta de nuevo automáticamente.',
    internal: 'Se ha producido un error en el equipo.',
    rate_limited: 'Demasiados intentos. Espere un momento e inténtelo de nuevo.',
    sign_in_busy: 'Demasiadas personas inician sesión en este momento. Inténtelo de nuevo.',
    sign_in_failed: 'El usuario, la contraseña o el código no es correcto.',
    code_needed: 'Escriba el código que muestra su aplicación de autenticación.',
    invitation_void: 'Esta invitación no es válida: ya se usó, se reemplazó o caducó. Pida una nueva.',
    session_ended: 'La sesión ha terminado. Inicie sesión de nuevo.',
    second_step_needed: 'Configure primero el segundo paso.',
    role_denied: 'Su función no permite hacer esto.',
    https_needed: 'Inicie sesión por https: lo que se envía aquí se puede leer en la red.',
    not_found: 'Esto ya no existe.',
    changed_meanwhile: 'Otra persona lo ha cambiado mientras tanto.',
    validation_failed: 'El equipo no acepta esto.',
    call_ended: 'La llamada ha terminado.',
    extension_unavailable: 'Ese teléfono no está disponible ahora.',
    overloaded: 'El equipo está muy ocupado. Inténtelo de nuevo en un momento.',
  },
})
const unknown = words({
  en: { fault: 'The box refused this ({code}).' },
  es: { fault: 'El equipo no lo permite ({code}).' },
})

export function sentence(fault: Fault): string {
  // What the box says in English is more exact than a sentence for all faults of one code.
  const general = fault.code === 'unreachable' || fault.code === 'internal' || fault.message === ''
  if (language.value === 'en' && !general) return fault.message
  return isKnown(fault.code) ? known(fault.code) : unknown('fault', { code: fault.code })
}

const isKnown = (code: string): code is keyof typeof known.catalogue.en => Object.hasOwn(known.catalogue.en, code)
