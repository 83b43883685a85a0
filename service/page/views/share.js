import { element } from '../element.js';
import { later } from '../texts/later.js';

const TYPE = 'application/pdf';

/**
 * A button that shares a document with another app. Undefined if unsupported, as over plain http.
 * @param {string} address
 * @param {string} title
 */
export function shareButton(address, title) {
  if (!navigator.canShare?.({ files: [new File([], 'a.pdf', { type: TYPE })] })) return undefined;
  /** @type {File | undefined} */
  let file;
  const label = element('span', {}, later.share);

  async function share() {
    try {
      const answer = file ? undefined : await fetch(address);
      if (answer?.ok) file = new File([await answer.blob()], fileName(title), { type: TYPE });
      await navigator.share({ files: file ? [file] : [] });
    } catch (error) {
      /* Browsers allow sharing only within seconds of a press; if loading takes longer, a second
         press shares the document. */
      if (Object(error).name !== 'AbortError') label.textContent = later.shareAgain;
    }
  }

  const unseen = element('span', { class: 'unseen' }, ` ${title}`);
  const click = () => void share();
  return element('button', { type: 'button', class: 'quiet', click }, label, unseen);
}

/** @param {string} title */
function fileName(title) {
  return `${title.replace(/[\\/:*?"<>|]/g, '-')}.pdf`;
}
