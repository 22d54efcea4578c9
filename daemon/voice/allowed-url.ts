import { ApiError } from '../base/errors.ts'
import { checkUrl, type AddressPolicy } from '../outbox/address.ts'

/** The URL, where the box may go there. Throws ApiError validation_failed, which names the rule and the key. `path`: where it stands in the request. */
export function allowedUrl(url: string, policy: AddressPolicy, path: string): string {
  const checked = checkUrl(url, policy)
  if (checked.ok) return url
  throw new ApiError('validation_failed', checked.reason, { details: [{ path, message: checked.reason }] })
}
