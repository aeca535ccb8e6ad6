// The fixture as a program on stdio, run against the built library. Its argument holds the options.
import { serveStdio } from 'toolwire/stdio'
import { fixture } from './fixture.js'

await serveStdio(fixture(JSON.parse(process.argv[2] ?? '{}')))
