/** The pages: a line each. All but the Desk are loaded when they are opened. */
import { roles } from '../frame/session.ts'
import Desk from './desk/page.tsx'
import type { Page } from './page.ts'

export const pages: readonly Page[] = [
  {
    ...{ name: 'desk', path: '/desk', roles: ['desk', 'manager'], icon: 'home', title: { en: 'Desk', es: 'Mostrador' }, key: 'd' },
    ...{ first: true, start: true },
    load: async () => ({ default: Desk }),
  },
  {
    ...{ name: 'calls', path: '/calls', roles: ['desk', 'manager', 'technician'], icon: 'calls', title: { en: 'Calls', es: 'Llamadas' } },
    ...{ key: 'c', first: true },
    load: () => import('./calls/page.tsx'),
  },
  {
    ...{
      name: 'voicemail',
      path: '/voicemail',
      roles: ['desk', 'manager'],
      icon: 'voicemail',
      title: { en: 'Voicemail', es: 'Buzón de voz' },
      key: 'v',
    },
    first: true,
    load: () => import('./voicemail/page.tsx'),
  },
  {
    ...{ name: 'faxes', path: '/faxes', roles: ['desk', 'manager'], icon: 'fax', title: { en: 'Faxes', es: 'Faxes' }, key: 'f' },
    first: true,
    load: () => import('./faxes/page.tsx'),
  },
  {
    ...{ name: 'texts', path: '/texts', roles: ['desk', 'manager'], icon: 'text', title: { en: 'Texts', es: 'Mensajes' }, key: 't' },
    first: true,
    load: () => import('./texts/page.tsx'),
  },
  {
    ...{
      name: 'reminders',
      path: '/reminders',
      roles: ['desk', 'manager'],
      icon: 'calendar',
      title: { en: 'Reminders', es: 'Recordatorios' },
    },
    key: 'r',
    load: () => import('./reminders/page.tsx'),
  },
  {
    ...{ name: 'queues', path: '/queues', roles: ['desk', 'manager', 'technician'], icon: 'people', title: { en: 'Queues', es: 'Colas' } },
    key: 'q',
    load: () => import('./queues/page.tsx'),
  },
  {
    ...{ name: 'directory', path: '/directory', roles: ['desk', 'manager'], icon: 'book', title: { en: 'Directory', es: 'Agenda' } },
    load: () => import('./directory/page.tsx'),
  },
  {
    ...{
      name: 'figures',
      path: '/figures',
      roles: ['desk', 'manager', 'technician'],
      icon: 'figures',
      title: { en: 'Figures', es: 'Cifras' },
    },
    load: () => import('./figures/page.tsx'),
  },
  {
    ...{ name: 'hours', path: '/hours', roles: ['manager'], icon: 'clock', title: { en: 'Opening times', es: 'Horario' } },
    load: () => import('./hours/page.tsx'),
  },
  {
    ...{ name: 'people', path: '/people', roles: ['manager', 'technician'], icon: 'owner', title: { en: 'People', es: 'Personas' } },
    load: () => import('./people/page.tsx'),
  },
  {
    ...{
      name: 'alarms',
      path: '/alarms',
      roles: ['desk', 'manager', 'technician'],
      icon: 'alarms',
      title: { en: 'Alarms', es: 'Alarmas' },
    },
    load: () => import('./alarms/page.tsx'),
  },
  {
    ...{ name: 'audit', path: '/audit', roles: ['desk', 'manager', 'technician'], icon: 'shield', title: { en: 'Audit', es: 'Auditoría' } },
    load: () => import('./audit/page.tsx'),
  },
  {
    ...{ name: 'health', path: '/health', roles: ['technician'], icon: 'health', title: { en: 'Health', es: 'Estado' }, key: 'h' },
    ...{ first: true, start: true },
    load: () => import('./health/page.tsx'),
  },
  {
    ...{ name: 'lines', path: '/lines', roles: ['technician'], icon: 'phone', title: { en: 'Lines', es: 'Líneas' }, key: 'l' },
    load: () => import('./lines/page.tsx'),
  },
  {
    ...{ name: 'config', path: '/config', roles: ['technician'], icon: 'settings', title: { en: 'Config', es: 'Configuración' } },
    load: () => import('./config/page.tsx'),
  },
  {
    ...{ name: 'setup', path: '/setup', roles: ['technician'], icon: 'settings', title: { en: 'Set up', es: 'Puesta en marcha' } },
    hidden: true,
    load: () => import('./setup/page.tsx'),
  },
  {
    ...{
      name: 'applications',
      path: '/applications',
      roles: ['technician'],
      icon: 'cpu',
      title: { en: 'Applications', es: 'Aplicaciones' },
    },
    load: () => import('./applications/page.tsx'),
  },
  {
    ...{ name: 'speech', path: '/speech', roles: ['technician'], icon: 'voicemail', title: { en: 'Speech', es: 'Voz' } },
    load: () => import('./speech/page.tsx'),
  },
  {
    ...{ name: 'backup', path: '/backup', roles: ['technician'], icon: 'storage', title: { en: 'Backup', es: 'Copia de seguridad' } },
    load: () => import('./backup/page.tsx'),
  },
  {
    ...{ name: 'tokens', path: '/tokens', roles: ['technician'], icon: 'key', title: { en: 'Tokens', es: 'Claves' } },
    load: () => import('./tokens/page.tsx'),
  },
  {
    ...{ name: 'me', path: '/me', roles: ['desk', 'manager', 'technician'], icon: 'owner', title: { en: 'Your account', es: 'Su cuenta' } },
    hidden: true,
    load: () => import('./me/page.tsx'),
  },
]

/** Those of the person, the one with which the day begins before the others. */
export function ownPages(): readonly Page[] {
  const own = pages.filter((page) => page.roles.some((role) => roles.value.includes(role)))
  const first = own.find((page) => page.start === true) ?? own[0]
  return first === undefined ? [] : [first, ...own.filter((page) => page !== first)]
}
