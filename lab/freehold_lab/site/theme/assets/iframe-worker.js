// The search runs in a worker, and browsers start none for a page from file://. A hidden frame takes its place there.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(script) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      frame.srcdoc = `<script src="${new URL(script, location)}"></script>`;
      this.ready = new Promise(resolve => frame.addEventListener("load", () => resolve(frame.contentWindow)));
      // What the script in the frame posts goes to the page instead of to the frame itself.
      this.ready.then(inside => {
        inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      });
      document.body.append(frame);
    }

    postMessage(data) {
      this.ready.then(inside => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
  window.Worker = window.IFrameWorker;
}
