/** `pbx inbox`: what was received, and where its documents are. */
import { ApiError } from '../../errors.ts'
import { limitOf, type ControlRoute } from '../route.ts'
import type { ControlServices, InboxFeedName, InboxServicesView } from '../services.ts'

const feeds: readonly string[] = ['faxes', 'sms', 'voicemails']

function inboxOf(services: ControlServices): InboxServicesView {
  if (services.inbox === undefined) throw new ApiError('not_found', 'This daemon has no inbox.')
  return services.inbox
}

export const inboxRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/inbox', answer: (services) => inboxOf(services).summary() },
  {
    method: 'GET',
    path: '/inbox-media/:id',
    deed: 'inbox.media',
    answer: (services, { params: { id = '' } }) => inboxOf(services).media(id),
  },
  {
    method: 'GET',
    path: '/inbox/:feed',
    deed: 'inbox.page',
    async answer(services, { params: { feed = '' }, query, deed }) {
      if (!feeds.includes(feed)) throw new ApiError('not_found', `The inbox has ${feeds.join(', ')}.`)
      const since = query.get('since')
      if (since !== null && !/^\d{1,16}$/.test(since))
        throw new ApiError('validation_failed', 'The cursor is a number, as nextSince gave it.')
      const options = { limit: limitOf(query, 20, 500), ...(since === null ? {} : { since: Number(since) }) }
      const page = await inboxOf(services).page(feed as InboxFeedName, options)
      const ids = page.items.map((item) => ('id' in item ? String(item.id) : ''))
      deed.about([feed, ...ids].join(' '), ids.length)
      return page
    },
  },
]
