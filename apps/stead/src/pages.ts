export { cliPage } from './cli/page.ts'
export { configurationPage } from './configuration/page.ts'
