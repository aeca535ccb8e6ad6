import type { Outlook } from '../api/types.js'
import type { Tone } from '../parts/Badge.js'

/** How decisions look. */
export const decisionTones = { allow: 'ok', ask: 'warning', deny: 'danger', depends: 'neutral' } as const satisfies Record<
  Outlook,
  Tone
>
