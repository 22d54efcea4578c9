/** `pbx modem`: the modem lines, one of them tried out, and what is said to it. */
import { ApiError } from '../../errors.ts'
import type { ControlRoute } from '../route.ts'
import type { ControlServices, ModemServicesView } from '../services.ts'

function modemsOf(services: ControlServices): ModemServicesView {
  if (services.modems === undefined) throw new ApiError('not_found', 'This daemon has no modem lines.')
  return services.modems
}

export const modemRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/modems', answer: (services) => modemsOf(services).list() },
  {
    method: 'POST',
    path: '/modems/:id/test',
    deed: 'modem.test',
    answer: (services, { params: { id = '' } }) => modemsOf(services).test(id),
  },
  {
    method: 'POST',
    path: '/modems/:id/trace',
    deed: 'modem.trace',
    stream: (services, { params: { id = '' }, signal }, emit) => modemsOf(services).trace(id, emit, signal),
  },
]
