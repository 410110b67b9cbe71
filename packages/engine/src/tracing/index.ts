export { Tracer, type TracerOptions } from './tracer.ts'
