/** Bundles the modules that are loaded after the start: together, they compress better. */
export { say } from './texts/later.js';
export { openDialog } from './views/options.js';
export { showSetUp } from './views/set-up.js';
export { shareButton } from './views/share.js';
export { askForToken } from './views/token.js';
export { openViewer } from './views/viewer.js';
