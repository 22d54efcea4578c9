/** `pbx fax delete`, `pbx inbox delete` and their like, `pbx trace --delete`, `pbx recordings`. */
import { ApiError } from '../../errors.ts'
import { limitOf, listed, type ControlRoute } from '../route.ts'
import type { ControlServices, StoredServicesView } from '../services.ts'
import { storedKinds, type StoredKind } from '../stored-services.ts'

function storedOf(services: ControlServices): StoredServicesView {
  if (services.stored === undefined) throw new ApiError('not_found', 'This daemon keeps nothing that could be deleted.')
  return services.stored
}

export const storedRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/recordings',
    deed: 'recording.list',
    answer: (services, { query, deed }) => listed(deed, storedOf(services).recordings(limitOf(query, 50))),
  },
  {
    method: 'DELETE',
    path: '/stored/:kind/:id',
    // Which of them it is, its path says.
    deed: 'inbox.delete',
    async answer(services, { params: { kind = '', id = '' }, deed }) {
      if (!(storedKinds as readonly string[]).includes(kind)) throw new ApiError('not_found', `Nothing of the kind ${kind} is kept.`)
      deed.becomes(`${kind as StoredKind}.delete`)
      deed.about(id)
      await storedOf(services).remove(kind as StoredKind, id, (object) => deed.record(object))
      return { deleted: id }
    },
  },
]
