import type { Outlook } from '../api/types.js'
import type { Tone } from '../parts/Badge.js'

/** How decisions look. */
export const decisionTones = { allow: 'ok', ask: 'info', deny: 'warning', depends: 'neutral' } as const satisfies Record<
  Outlook,
  Tone
>
