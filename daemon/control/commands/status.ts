/** `pbx status`, `pbx lines`, `pbx doctor`: how the box is. */
import type { ControlRoute } from '../route.ts'

export const statusRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/status', answer: (services) => services.status() },
  { method: 'GET', path: '/lines', answer: (services) => services.lines() },
  { method: 'GET', path: '/doctor', answer: (services) => services.doctor() },
]
