/** Where findings are told; what a server puts there itself is not believed. */
export const findingsKey = 'dev.toolwire/findings'
