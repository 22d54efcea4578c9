/** What is a service of its own on an installed box, and a child of the daemon elsewhere: the unit pbxd.service says where they listen. */

/** Of pbx-engine. */
export const engineSocket = (): string | undefined => process.env['PBXD_ENGINE_SOCKET']

/** Of the reader of PDFs. */
export const pagesSocket = (): string | undefined => process.env['PBXD_PAGES_SOCKET']
export const pagesFix = 'systemctl start pbxd-pages.socket'

/** The command that a reason names, where a service does not run. */
export const startOf = (reason: string): string | undefined => /systemctl start \S+/.exec(reason)?.[0]
