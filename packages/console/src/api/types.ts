// What the gateway's management API says, as far as this page reads it. Every text in there is somebody else's: show it with `Text`.

export type * from './types/approvals.js'
export type * from './types/audit.js'
export type * from './types/calls.js'
export type * from './types/events.js'
export type * from './types/json.js'
export type * from './types/policy.js'
export type * from './types/servers.js'
export type * from './types/sessions.js'
export type * from './types/stats.js'
export type * from './types/tools.js'
