"""The script that one writes today to look at a model's positions.

    python benchmarks/naive.py FOLDER OUTPUT

It builds the model, takes the table out of it and computes what comes to mind: principal components, a spectrum, a
map of cosines and cosines by offset, each drawn with seaborn. No score has a null.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_similarity
from transformers import AutoModel


def main(folder: str, output: Path) -> None:
    output.mkdir(parents=True, exist_ok=True)
    model = AutoModel.from_pretrained(folder)
    table = model.embeddings.position_embeddings.weight.detach().numpy()

    pca = PCA().fit(table)
    components = pca.transform(table)
    share = np.cumsum(pca.explained_variance_ratio_)
    print(f"{table.shape[0]} positions x {table.shape[1]}")
    print(f"variance in 2 components  {share[1]:.3f}")
    print(f"components for 90 %       {np.argmax(share >= 0.9) + 1}")

    power = (np.abs(np.fft.rfft(table - table.mean(axis=0), axis=0)) ** 2).mean(axis=1)
    print(f"strongest period          {len(table) / np.argmax(power):.1f}")

    cosines = cosine_similarity(table)
    by_offset = [np.diagonal(cosines, offset).mean() for offset in range(len(table) // 2)]
    print(f"cosine of neighbours      {by_offset[1]:.3f}")

    plt.figure()
    sns.lineplot(x=np.arange(1, len(share) + 1), y=share)
    plt.savefig(output / "variance.png")

    plt.figure()
    sns.scatterplot(x=components[:, 0], y=components[:, 1], hue=np.arange(len(table)))
    plt.savefig(output / "components.png")

    plt.figure()
    sns.lineplot(x=np.arange(len(power)), y=power)
    plt.yscale("log")
    plt.savefig(output / "spectrum.png")

    plt.figure()
    sns.heatmap(cosines)
    plt.savefig(output / "cosines.png")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
