/** Member of `_meta` that lists the findings. A value from the server itself is discarded. */
export const findingsKey = 'dev.toolwire/findings'
