/** `pbx status`, `pbx lines`, `pbx doctor`: how the box is; and whom its registrar shuts out. */
import { isIP } from 'node:net'
import { ApiError } from '../../errors.ts'
import type { ControlRoute } from '../route.ts'

export const statusRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/status', answer: (services) => services.status() },
  { method: 'GET', path: '/lines', answer: (services) => services.lines() },
  { method: 'GET', path: '/lines/bans', answer: (services) => services.bans.list() },
  {
    method: 'DELETE',
    path: '/lines/bans/:address',
    deed: 'ban.lift',
    async answer(services, { params: { address = '' } }) {
      if (isIP(address.replace(/\/64$/, '')) === 0) throw new ApiError('validation_failed', `"${address}" is not an IP address.`)
      return { address, lifted: await services.bans.lift(address) }
    },
  },
  { method: 'GET', path: '/doctor', answer: (services) => services.doctor() },
]
