/** What is loaded after the start, in one file, because it is small and compresses better. */
export { say } from './texts/later.js';
export { openDialog } from './views/options.js';
export { showSetUp } from './views/set-up.js';
export { shareButton } from './views/share.js';
export { askForToken } from './views/token.js';
export { openViewer } from './views/viewer.js';
