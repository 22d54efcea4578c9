/** What the technician's socket needs of the audit trail: the part of `services.ts` about it. */

/** A row of the trail; the order of its members is part of what `hash` covers. */
export interface AuditRowView {
  readonly seq: number
  readonly time: string
  readonly actor: string
  readonly address: string
  readonly deed: string
  readonly object: string
  readonly outcome: string
  readonly count: number
  readonly requestId: string
  readonly previous: string
  readonly hash: string
}

export interface AuditQueryView {
  /** Milliseconds since the epoch. */
  readonly since?: number
  readonly actor?: string
  readonly deed?: string
  readonly object?: string
}

export interface AuditVerdictView {
  readonly ok: boolean
  readonly rows: number
  readonly first: { readonly seq: number; readonly hash: string } | null
  readonly last: { readonly seq: number; readonly hash: string } | null
  readonly faults: readonly { readonly seq: number; readonly kind: string; readonly text: string }[]
}

export interface AuditServicesView {
  /** Newest first. */
  list(query: AuditQueryView, limit: number): Promise<readonly AuditRowView[]>
  /** `known`: `<seq>:<hash>` as it was noted down before. Throws ApiError `validation_failed`. */
  verify(known: string | null): Promise<AuditVerdictView>
  /** Oldest first. */
  export(query: AuditQueryView): AsyncIterable<AuditRowView>
}
