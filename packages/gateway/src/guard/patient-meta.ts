/** In `_meta` of a call: its client waits for as long as somebody thinks, as our own do. */
export const patientMeta = 'dev.toolwire/patient'
