"""What the scores of the `sinusoid` analyzer mean."""

from __future__ import annotations

from probe.analyzers.scores import ScoreSpec

SCORES = (
    ScoreSpec(
        name="vaswani_r2",
        label="R² on the Transformer's sines",
        meaning="Share of what tells positions apart that lies in the space spanned by the sines and cosines of the "
        "Transformer paper, for a table of this size.",
        form="share",
    ),
    ScoreSpec(
        name="best_base",
        label="best base",
        meaning="The base whose geometric frequencies explain the table best; 10,000 in the paper.",
        without_null="a base says which frequencies, not how much: no value of it speaks for position or against it",
    ),
    ScoreSpec(
        name="best_base_r2",
        label="R² at the best base",
        meaning="Share of what tells positions apart that the sines and cosines of the best base explain.",
        form="share",
    ),
    ScoreSpec(
        name="shift_r2_1",
        label="linear shift by 1, R²",
        meaning="How well one linear map predicts the leading components of a row from those of the row before it, "
        "on rows that it was not fitted to; 1 for a sinusoid. What the other components hold is not counted.",
        form="share",
    ),
    ScoreSpec(
        name="shift_r2_16",
        label="linear shift by 16, R²",
        meaning="How well one linear map predicts the leading components of a row from those of the row 16 positions "
        "before, on rows that it was not fitted to; 1 for a sinusoid. What the other components hold is not counted.",
        form="share",
    ),
    ScoreSpec(
        name="cka",
        label="CKA with the sinusoid",
        meaning="How alike the table and the Transformer's sinusoid arrange the positions, whatever the rotation and "
        "scale of their dimensions; 1 when they agree.",
        form="share",
    ),
)
